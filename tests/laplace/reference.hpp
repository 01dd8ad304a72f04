#pragma once
// laplace once more, as plainly as it can be said; it shares nothing with the program but the sum,
// which has a test of its own, and how denormals are taken.

#include <numerics/exact_sum.hpp>
#include <numerics/no_denormals.hpp>

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

struct Reference {
  std::size_t x, y, z;
  double offset = 0;
  std::optional<double> circle{};

  std::vector<double> values{};  // planes of rows, the surface included
  std::size_t iterations = 0;
  double residual = 0;
  bool converged = false;

  double& at(std::size_t k, std::size_t j, std::size_t i) { return at(values, k, j, i); }
  double& at(std::vector<double>& all, std::size_t k, std::size_t j, std::size_t i) const {
    return all[(k * (y + 2) + j) * (x + 2) + i];
  }

  void start() {
    values.assign((x + 2) * (y + 2) * (z + 2), offset);
    for (std::size_t j = 0; j < y + 2; ++j)
      for (std::size_t i = 0; i < x + 2; ++i) {
        const double dx = 0.5 - static_cast<double>(i) / static_cast<double>(x + 1);
        const double dy = 0.5 - static_cast<double>(j) / static_cast<double>(y + 1);
        const double square = dx * dx + dy * dy;
        if (!circle || square <= *circle * *circle) at(0, j, i) += std::exp(-square);
      }
    iterations = 0;
  }

  double sum_of_six(std::size_t k, std::size_t j, std::size_t i) {
    return ((at(k, j, i - 1) + at(k, j, i + 1)) + (at(k, j - 1, i) + at(k, j + 1, i))) +
           (at(k - 1, j, i) + at(k + 1, j, i));
  }

  void sweep() {
    std::vector<double> next = values;
    for (std::size_t k = 1; k <= z; ++k)
      for (std::size_t j = 1; j <= y; ++j)
        for (std::size_t i = 1; i <= x; ++i) at(next, k, j, i) = sum_of_six(k, j, i) * (1.0 / 6);
    values.swap(next);
    ++iterations;
  }

  double relative_residual() {
    numerics::ExactSum residuals, sources;
    for (std::size_t k = 1; k <= z; ++k)
      for (std::size_t j = 1; j <= y; ++j)
        for (std::size_t i = 1; i <= x; ++i) {
          const double residual = sum_of_six(k, j, i) - 6 * at(k, j, i);
          const auto surface = [&](std::size_t kk, std::size_t jj, std::size_t ii) {
            const bool inside = kk > 0 && kk <= z && jj > 0 && jj <= y && ii > 0 && ii <= x;
            return inside ? 0 : at(kk, jj, ii);
          };
          const double source = ((surface(k, j, i - 1) + surface(k, j, i + 1)) +
                                 (surface(k, j - 1, i) + surface(k, j + 1, i))) +
                                (surface(k - 1, j, i) + surface(k + 1, j, i));
          double squares[] = {residual * residual, source * source};
          residuals.add(squares, 1);
          sources.add(squares + 1, 1);
        }
    return residuals.value() == 0 ? 0 : std::sqrt(residuals.value()) / std::sqrt(sources.value());
  }

  /// Looks at the residual every so many iterations, and after the last.
  void solve(std::size_t every, double tolerance, std::size_t most) {
    const numerics::NoDenormals flush;
    for (start();; sweep()) {
      const bool last = iterations == most;
      if (!last && iterations % every != 0) continue;
      residual = relative_residual();
      converged = residual < tolerance;
      if (converged || last) return;
    }
  }
};
