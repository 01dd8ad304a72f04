#include "cells.hpp"

#include <algorithm>
#include <cmath>

namespace md {

Cells::Cells(const Vector& lower, const Vector& upper, double reach, CellIndices indices)
    : lower_(lower), upper_(upper) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double extent = upper[axis] - lower[axis];
    // A little less than fits, so that rounding makes no cell too narrow.
    const double fit = std::clamp(std::floor(extent / reach * (1 - 1e-9)), 1.0, 1024.0);
    shape_[axis] = static_cast<int>(fit) + 2;
    per_length_[axis] = fit / extent;
  }
  if (indices == CellIndices::table)
    for (int cell = 0; cell < count(); ++cell) table_.push_back(computed(cell));
  inner_.reserve(static_cast<std::size_t>(count()));
  for (int cell = 0; cell < count(); ++cell) inner_.push_back(is_inner(cell));
}

int Cells::cell_of(const Vector& position) const noexcept {
  int cell = 0;
  for (std::size_t axis = 3; axis-- > 0;) {
    const double at = std::floor((position[axis] - lower_[axis]) * per_length_[axis]);
    const int inside = shape_[axis] - 2;
    int place = position[axis] < lower_[axis]    ? 0
                : position[axis] >= upper_[axis] ? inside + 1
                                                 : 1 + std::min(static_cast<int>(at), inside - 1);
    cell = cell * shape_[axis] + place;
  }
  return cell;
}

bool Cells::in_region(const Vector& position) const noexcept {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (!(position[axis] >= lower_[axis] && position[axis] < upper_[axis])) return false;
  return true;
}

bool Cells::is_inner(int cell) const noexcept {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int place = cell % shape_[axis];
    if (place < 2 || place >= shape_[axis] - 2) return false;
    cell /= shape_[axis];
  }
  return true;
}

Cells::Around Cells::computed(int cell) const noexcept {
  const int nx = shape_[0], ny = shape_[1], nz = shape_[2];
  const int x = cell % nx, y = cell / nx % ny, z = cell / nx / ny;
  const int left = std::max(x - 1, 0), right = std::min(x + 1, nx - 1);
  Around around;
  std::size_t runs = 0;
  for (int dz = z - 1; dz <= z + 1; ++dz)
    for (int dy = y - 1; dy <= y + 1; ++dy) {
      const int row = (dz * ny + dy) * nx;
      const bool there = dz >= 0 && dz < nz && dy >= 0 && dy < ny;
      around[runs++] = there ? Run{row + left, row + right} : Run{0, -1};
    }
  return around;
}

void InCells::fill(const Cells& cells, const Particles& particles, int first, int last,
                   const Vector& middle) {
  const auto count = static_cast<std::size_t>(last - first);
  starts.assign(static_cast<std::size_t>(cells.count()) + 1, 0);
  std::vector<int> cell_of(count);
  for (std::size_t k = 0; k < count; ++k) {
    cell_of[k] = cells.cell_of(particles.position(k + static_cast<std::size_t>(first)));
    ++starts[static_cast<std::size_t>(cell_of[k]) + 1];
  }
  for (std::size_t cell = 1; cell < starts.size(); ++cell) starts[cell] += starts[cell - 1];

  for (auto* of : {&x, &y, &z}) of->resize(count + tail);
  index.resize(count + tail);
  std::vector<int> next(starts.begin(), starts.end() - 1);
  for (std::size_t k = 0; k < count; ++k) {
    const auto to = static_cast<std::size_t>(next[static_cast<std::size_t>(cell_of[k])]++);
    const std::size_t i = k + static_cast<std::size_t>(first);
    index[to] = static_cast<int>(i);
    x[to] = static_cast<float>(particles.position(i, 0) - middle[0]);
    y[to] = static_cast<float>(particles.position(i, 1) - middle[1]);
    z[to] = static_cast<float>(particles.position(i, 2) - middle[2]);
  }
}

}  // namespace md
