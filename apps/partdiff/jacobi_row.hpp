#pragma once
// One row of a Jacobi sweep, a vector of points at a time.

#include "patch.hpp"
#include "stencil.hpp"

#include <numerics/lanes.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace partdiff {

using namespace numerics;

/// Where a row of new values goes, and what it is computed from.
struct Row {
  double* out;
  const double *up, *in, *down;  ///< rows of the sweep before
  std::ptrdiff_t size;
  double left, right;           ///< beside `in`
  double row_source;            ///< unused without a source term
  const double* column_source;  ///< null without a source term
};

/// Row `r` of a patch, computed from the patch itself.
inline Row row_of(const Patch& patch, std::ptrdiff_t r, double* out) {
  const double* const in = patch.data + r * patch.stride;
  return {.out = out,
          .up = r > 0 ? in - patch.stride : patch.up,
          .in = in,
          .down = r + 1 < patch.rows ? in + patch.stride : patch.down,
          .size = patch.columns,
          .left = patch.left[r],
          .right = patch.right[r],
          .row_source = patch.row_source ? patch.row_source[r] : 0,
          .column_source = patch.column_source};
}

namespace detail {

template <int L, bool source>
void points(const Row& row, std::ptrdiff_t j, Lanes<L> left, Lanes<L> right) {
  Lanes<L> value = star(load<L>(row.up + j), left, right, load<L>(row.down + j));
  if constexpr (source) value += row.row_source * load<L>(row.column_source + j);
  store<L>(row.out + j, value);
}

/// The points from j > 0 on, in vectors that get narrower.
template <int L, bool source>
void last_points(const Row& row, std::ptrdiff_t j) {
  for (; j + L < row.size; j += L)
    points<L, source>(row, j, load<L>(row.in + j - 1), load<L>(row.in + j + 1));
  if constexpr (L > 1)
    last_points<L / 2, source>(row, j);
  else if (j < row.size)
    points<1, source>(row, j, row.in[j - 1], row.right);
}

}  // namespace detail

/// Limit: loads and stores of the first-level cache. Each value of `in` is loaded once; the points
/// to the left and right come from shifted registers, because loads that cross cache lines count
/// twice.
template <bool source>
void jacobi_row(const Row& row) {
  constexpr int L = widest;
  std::ptrdiff_t j = 0;
  if (row.size < 2 * L) {
    detail::points<1, source>(row, 0, row.left, row.size > 1 ? row.in[1] : row.right);
    j = 1;
  } else {
    Lanes<L> before = broadcast<L>(row.left), here = load<L>(row.in);
    for (; j + 2 * L <= row.size; j += L) {
      const Lanes<L> after = load<L>(row.in + j + L);
      detail::points<L, source>(row, j, across<L, L - 1>(before, here), across<L, 1>(here, after));
      before = here, here = after;
    }
  }
  detail::last_points<L, source>(row, j);
}

inline double largest_change(const double* before, const double* after, std::ptrdiff_t size) {
  constexpr int L = widest;
  Lanes<L> lanes = broadcast<L>(0);
  std::ptrdiff_t j = 0;
  for (; j + L <= size; j += L)
    lanes = larger<L>(lanes, magnitude<L>(load<L>(before + j) - load<L>(after + j)));
  double largest = 0;
  for (int lane = 0; lane < L; ++lane) largest = std::max(largest, lanes[lane]);
  for (; j < size; ++j) largest = std::max(largest, std::fabs(before[j] - after[j]));
  return largest;
}

}  // namespace partdiff
