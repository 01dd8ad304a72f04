#pragma once
// Patches: what a kernel works on. No MPI here.

#include <algorithm>
#include <cstddef>

namespace partdiff {

/// Values beside a patch: one every `stride` elements.
struct Side {
  const double* data = nullptr;
  std::ptrdiff_t stride = 0;
  double operator[](std::ptrdiff_t index) const noexcept { return data[index * stride]; }
};

/// A rectangle of points, and where the points around it are read: in the same array, or in a
/// neighbour's memory.
struct Patch {
  double* data = nullptr;     ///< its first point
  std::ptrdiff_t stride = 0;  ///< from row to row
  std::ptrdiff_t rows = 0, columns = 0;
  const double* up = nullptr;    ///< the row above its first
  const double* down = nullptr;  ///< the row below its last
  Side left{}, right{};          ///< the columns beside it

  // The source term; null for f = 0.
  const double* row_source = nullptr;
  const double* column_source = nullptr;

  bool empty() const noexcept { return rows <= 0 || columns <= 0; }
  /// How many of `most` threads have work worth waking them for.
  int worthwhile(int most) const noexcept {
    constexpr std::ptrdiff_t points_per_thread = 4096;
    return static_cast<int>(
        std::clamp<std::ptrdiff_t>(rows * columns / points_per_thread, 1, most));
  }

  /// A part of this patch: rows [r0, r1), columns [c0, c1).
  Patch part(std::ptrdiff_t r0, std::ptrdiff_t r1, std::ptrdiff_t c0,
             std::ptrdiff_t c1) const noexcept {
    Patch part = *this;
    part.data = data + r0 * stride + c0;
    part.rows = r1 - r0;
    part.columns = c1 - c0;
    part.up = r0 > 0 ? part.data - stride : up + c0;
    part.down = r1 < rows ? data + r1 * stride + c0 : down + c0;
    part.left =
        c0 > 0 ? Side{part.data - 1, stride} : Side{left.data + r0 * left.stride, left.stride};
    part.right = c1 < columns ? Side{data + r0 * stride + c1, stride}
                              : Side{right.data + r0 * right.stride, right.stride};
    if (row_source) {
      part.row_source = row_source + r0;
      part.column_source = column_source + c0;
    }
    return part;
  }
};

}  // namespace partdiff
