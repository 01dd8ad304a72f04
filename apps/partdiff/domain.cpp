#include "domain.hpp"

#include <algorithm>

namespace partdiff {

using halocline::Block;
using halocline::Range;

Domain::Domain(const Problem& problem, halocline::Grid grid)
    : problem_(problem), grid_(std::move(grid)) {
  if (idle()) return;
  rows_ = grid_.owned(0).size();
  columns_ = grid_.owned(1).size();
  stride_ = grid_.local(1);
  // Cell c is point c + 1.
  for (int axis = 0; axis < 2; ++axis) first_[axis] = grid_.owned(axis).begin + 1 - halo(axis);
  if (problem_.function() == Function::zero) return;
  for (std::int64_t i = 1; i + 1 < grid_.local(0); ++i)
    row_source_.push_back(problem_.row_source(first_[0] + i));
  for (std::int64_t j = 1; j + 1 < grid_.local(1); ++j)
    column_source_.push_back(problem_.column_source(first_[1] + j));
}

int Domain::neighbour(int down, int right) const {
  return idle() ? MPI_PROC_NULL : grid_.neighbour({down, right});
}

Block Domain::block(std::ptrdiff_t row, std::ptrdiff_t column, std::ptrdiff_t rows,
                    std::ptrdiff_t columns) const {
  Block block;
  block.offset = (row + halo(0)) * stride_ + column + halo(1);
  block.count = {1, static_cast<std::size_t>(rows), static_cast<std::size_t>(columns)};
  block.stride = {0, stride_};
  return block;
}

void Domain::initialise(double* array, int threads) const {
  if (idle()) return;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t row = 0; row < grid_.local(0); ++row)
    std::fill_n(array + row * stride_, stride_, 0.0);
  const std::int64_t n = problem_.intervals();
  const auto set = [&](std::int64_t i, std::int64_t j) {
    const bool inside = i >= first_[0] && i < first_[0] + grid_.local(0) && j >= first_[1] &&
                        j < first_[1] + grid_.local(1);
    if (inside) array[offset(i, j)] = problem_.boundary(i, j);
  };
  const std::int64_t rows_end = std::min(n + 1, first_[0] + grid_.local(0));
  const std::int64_t columns_end = std::min(n + 1, first_[1] + grid_.local(1));
  for (std::int64_t i = std::max<std::int64_t>(0, first_[0]); i < rows_end; ++i)
    for (std::int64_t j : {std::int64_t{0}, n}) set(i, j);
  for (std::int64_t j = std::max<std::int64_t>(0, first_[1]); j < columns_end; ++j)
    for (std::int64_t i : {std::int64_t{0}, n}) set(i, j);
}

Patch Domain::patch(double* array) const {
  Patch patch;
  if (idle()) return patch;
  patch.stride = stride_;
  patch.rows = grid_.local(0) - 2;
  patch.columns = grid_.local(1) - 2;
  patch.data = array + stride_ + 1;
  patch.up = array + 1;
  patch.down = array + (patch.rows + 1) * stride_ + 1;
  patch.left = {patch.data - 1, stride_};
  patch.right = {patch.data + patch.columns, stride_};
  if (!row_source_.empty()) {
    patch.row_source = row_source_.data();
    patch.column_source = column_source_.data();
  }
  return patch;
}

Range Domain::points(int axis) const {
  if (idle()) return {};
  const Range owned = grid_.owned(axis);
  const std::int64_t cells = grid_.cells()[static_cast<std::size_t>(axis)];
  return {owned.begin == 0 ? 0 : owned.begin + 1, owned.end == cells ? cells + 2 : owned.end + 1};
}

Range Domain::held(int axis) const {
  if (idle()) return {};
  const std::int64_t first = first_[axis];
  return {std::max<std::int64_t>(0, first), std::min(problem_.points(), first + grid_.local(axis))};
}

}  // namespace partdiff
