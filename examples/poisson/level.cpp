#include "level.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace poisson {

namespace {

using Index = std::ptrdiff_t;
using Row = std::vector<double>;

/// The six neighbours of a cell.
inline double around(const double* cell, Index row, Index plane) {
  return cell[-1] + cell[1] + cell[-row] + cell[row] + cell[-plane] + cell[plane];
}

/// Adds the residuals of the row that begins there.
void add_residual(const Level& level, Index begin, Row& sum) {
  const Index columns = level.columns, plane = level.rows * columns;
  const double* const u = &level.u[begin];
  const double* const right = &level.right[begin];
  for (Index k = 1; k < columns - 1; ++k)
    sum[k] += right[k] - 6 * u[k] + around(u + k, columns, plane);
}

}  // namespace

void reflect(Level& level) {
  const std::array<Index, 3> cells{level.planes, level.rows, level.columns};
  const std::array<Index, 3> stride{level.rows * level.columns, level.columns, 1};
  for (int axis = 0; axis < 3; ++axis) {
    const int one = (axis + 1) % 3, other = (axis + 2) % 3;
    const auto reflect_at = [&](Index outside, Index inside) {
      for (Index i = 0; i < cells[one]; ++i)
        for (Index j = 0; j < cells[other]; ++j) {
          double* const line = &level.u[i * stride[one] + j * stride[other]];
          line[outside * stride[axis]] = -line[inside * stride[axis]];
        }
    };
    const halocline::Range mine = level.grid.owned(axis);
    if (mine.begin == 0) reflect_at(0, 1);
    if (mine.end == level.grid.cells()[axis]) reflect_at(cells[axis] - 1, cells[axis] - 2);
  }
}

void sweep(Level& level, int colour) {
  const Index columns = level.columns, plane = level.rows * columns;
  // Cells of a colour have an even or an odd sum of their numbers in the whole grid.
  Index first = colour;
  for (int axis = 0; axis < 3; ++axis) first += level.grid.owned(axis).begin;
  Row next(columns);
  for (Index i = 1; i < level.planes - 1; ++i)
    for (Index j = 1; j < level.rows - 1; ++j) {
      double* const u = &level.u[level.at(i, j)];
      const double* const right = &level.right[level.at(i, j)];
      // Computes both colours, since that is a loop over vectors. The other colour is not used.
      for (Index k = 1; k < columns - 1; ++k)
        next[k] = (right[k] + around(u + k, columns, plane)) * (1.0 / 6);
      for (Index k = 1 + (first + i + j) % 2; k < columns - 1; k += 2) u[k] = next[k];
    }
}

void restrict_residual(const Level& fine, Level& coarse) {
  Row sum(fine.columns);
  for (Index i = 1; i < coarse.planes - 1; ++i)
    for (Index j = 1; j < coarse.rows - 1; ++j) {
      std::ranges::fill(sum, 0.0);
      for (const Index plane : {2 * i - 1, 2 * i})
        for (const Index row : {2 * j - 1, 2 * j}) add_residual(fine, fine.at(plane, row), sum);
      double* const right = &coarse.right[coarse.at(i, j)];
      // Four times the square of the width, an eighth for the mean.
      for (Index k = 1; k < coarse.columns - 1; ++k) right[k] = 0.5 * (sum[2 * k - 1] + sum[2 * k]);
    }
}

void prolong(const Level& coarse, Level& fine) {
  Row across(coarse.columns);
  for (Index i = 1; i < fine.planes - 1; ++i)
    for (Index j = 1; j < fine.rows - 1; ++j) {
      // Along each axis three quarters of the nearest centre, one of the next on this cell's side.
      const Index plane = (i + 1) / 2, row = (j + 1) / 2;
      const Index next_plane = i % 2 ? plane - 1 : plane + 1, next_row = j % 2 ? row - 1 : row + 1;
      const double* const nearest = &coarse.u[coarse.at(plane, row)];
      const double* const beside = &coarse.u[coarse.at(plane, next_row)];
      const double* const above = &coarse.u[coarse.at(next_plane, row)];
      const double* const far = &coarse.u[coarse.at(next_plane, next_row)];
      for (Index k = 0; k < coarse.columns; ++k)
        across[k] = (9 * nearest[k] + 3 * (beside[k] + above[k]) + far[k]) * (1.0 / 16);
      double* const u = &fine.u[fine.at(i, j)];
      for (Index k = 1; k < coarse.columns - 1; ++k) {
        u[2 * k - 1] += 0.75 * across[k] + 0.25 * across[k - 1];
        u[2 * k] += 0.75 * across[k] + 0.25 * across[k + 1];
      }
    }
}

double largest_residual(const Level& level) {
  double largest = 0;
  Row residual(level.columns);
  for (Index i = 1; i < level.planes - 1; ++i)
    for (Index j = 1; j < level.rows - 1; ++j) {
      std::ranges::fill(residual, 0.0);
      add_residual(level, level.at(i, j), residual);
      for (Index k = 1; k < level.columns - 1; ++k)
        largest = std::max(largest, std::abs(residual[k]));
    }
  return largest;
}

}  // namespace poisson
