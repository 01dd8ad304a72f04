#pragma once
// partdiff once more, as plainly as it can be said; it shares nothing with the program.

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

struct Reference {
  std::size_t points;          // along each axis
  std::vector<double> values;  // row by row
  std::size_t iterations = 0;
  double residuum = 0;
};

/// TERM 1 when `accuracy` > 0, else `iterations` sweeps.
inline Reference reference(bool jacobi, std::size_t lines, bool sine, double accuracy,
                           std::size_t iterations) {
  constexpr double pi = 3.141592653589793;
  const std::size_t n = 8 * lines + 8, points = n + 1;
  const double h = 1.0 / n;
  std::vector<double> old(points * points, 0.0);
  const auto at = [&](std::vector<double>& grid, std::size_t i, std::size_t j) -> double& {
    return grid[i * points + j];
  };
  if (!sine) {
    for (std::size_t i = 0; i <= n; ++i) {
      at(old, i, 0) = at(old, 0, i) = 1.0 - (h * i);
      at(old, i, n) = at(old, n, i) = h * i;
    }
    at(old, n, 0) = at(old, 0, n) = 0;
  }
  std::vector<double> other = old;
  std::vector<double>& target = jacobi ? other : old;
  const double pih = pi * h, fpisin = 0.25 * (2 * pi * pi) * h * h;
  Reference result{points, {}, 0, 0};
  do {
    result.residuum = 0;
    for (std::size_t i = 1; i < n; ++i) {
      const double s = fpisin * std::sin(pih * i);
      for (std::size_t j = 1; j < n; ++j) {
        double star =
            0.25 * (at(old, i - 1, j) + at(old, i, j - 1) + at(old, i, j + 1) + at(old, i + 1, j));
        if (sine) star += s * std::sin(pih * j);
        result.residuum = std::fmax(result.residuum, std::fabs(at(old, i, j) - star));
        at(target, i, j) = star;
      }
    }
    if (jacobi) std::swap(old, other);
    ++result.iterations;
  } while (accuracy > 0 ? result.residuum >= accuracy : result.iterations < iterations);
  result.values = std::move(old);
  return result;
}
