#pragma once
#include <array>
#include <cstddef>

namespace laplace {

/// A box of points in an array of doubles. A row's points are beside each other; a row that begins
/// on a cache line is swept fastest, and a line of doubles before and behind it can be read.
struct Box {
  double* data = nullptr;                ///< the first point
  std::ptrdiff_t plane = 0, row = 0;     ///< doubles from plane to plane, from row to row
  std::array<std::ptrdiff_t, 3> size{};  ///< planes, rows, points of a row

  bool empty() const noexcept { return size[0] <= 0 || size[1] <= 0 || size[2] <= 0; }
  std::ptrdiff_t points() const noexcept { return size[0] * size[1] * size[2]; }
  double* at(std::ptrdiff_t k, std::ptrdiff_t j) const noexcept {
    return data + k * plane + j * row;
  }
};

}  // namespace laplace
