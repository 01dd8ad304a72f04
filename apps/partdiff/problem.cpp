#include "problem.hpp"

#include <cmath>

namespace partdiff {

namespace {
constexpr double pi = 3.141592653589793;
}

Problem::Problem(std::int64_t interlines, Function function)
    : intervals_(8 * interlines + 8),
      function_(function),
      h_(1.0 / static_cast<double>(intervals_)) {}

double Problem::boundary(std::int64_t i, std::int64_t j) const noexcept {
  const std::int64_t n = intervals_;
  if (function_ != Function::zero || (i == 0 && j == n) || (i == n && j == 0)) return 0;
  if (j == 0 && i < n) return 1.0 - (h_ * static_cast<double>(i));
  if (i == 0) return 1.0 - (h_ * static_cast<double>(j));
  return h_ * static_cast<double>(i == n ? j : i);
}

// No two operations here may change places: accuracies down to 1e-20 make the last bit count.
double Problem::row_source(std::int64_t i) const noexcept {
  const double pih = pi * h_;
  const double fpisin = 0.25 * (2 * pi * pi) * h_ * h_;
  return fpisin * std::sin(pih * static_cast<double>(i));
}
double Problem::column_source(std::int64_t j) const noexcept {
  return std::sin(pi * h_ * static_cast<double>(j));
}

}  // namespace partdiff
