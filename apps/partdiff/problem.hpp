#pragma once
// The Poisson equation on the unit square, as the teaching code discretises it.

#include <cstdint>
#include <vector>

namespace partdiff {

enum class Function { zero = 1, sine = 2 };

/// Points (i, j) with 0 <= i, j <= N; those with an index of 0 or N are the boundary.
class Problem {
 public:
  Problem(std::int64_t interlines, Function function);

  std::int64_t intervals() const noexcept { return intervals_; }    ///< N
  std::int64_t points() const noexcept { return intervals_ + 1; }   ///< along each axis
  std::int64_t spacing() const noexcept { return intervals_ / 8; }  ///< of the points printed
  Function function() const noexcept { return function_; }

  bool on_boundary(std::int64_t i, std::int64_t j) const noexcept {
    return i == 0 || j == 0 || i == intervals_ || j == intervals_;
  }
  double boundary(std::int64_t i, std::int64_t j) const noexcept;

  /// The source term of point (i, j) is row_source(i) * column_source(j), multiplied in this order.
  double row_source(std::int64_t i) const noexcept;
  double column_source(std::int64_t j) const noexcept;

 private:
  std::int64_t intervals_;
  Function function_;
  double h_;
};

}  // namespace partdiff
