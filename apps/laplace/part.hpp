#pragma once
// Where a worker keeps its part of the solution.

#include <halocline/grid.hpp>

#include <array>
#include <cstddef>

namespace laplace {

/// Values in a box, planes first; of a grid, with the surface of the cube where the part reaches
/// it; of a vector, in one row. The parts of all workers together hold every value once.
struct Part {
  std::array<halocline::Range, 3> points;  ///< by global index
  const double* data = nullptr;            ///< the first of them
  std::ptrdiff_t plane = 0, row = 0;       ///< strides

  bool has(std::int64_t k, std::int64_t j, std::int64_t i) const noexcept {
    const auto in = [](const halocline::Range& range, std::int64_t at) {
      return at >= range.begin && at < range.end;
    };
    return in(points[0], k) && in(points[1], j) && in(points[2], i);
  }
  double at(std::int64_t k, std::int64_t j, std::int64_t i) const noexcept {
    return data[(k - points[0].begin) * plane + (j - points[1].begin) * row +
                (i - points[2].begin)];
  }
};

/// Values of all parts together: planes, rows, points of a row.
using Extent = std::array<std::int64_t, 3>;

}  // namespace laplace
