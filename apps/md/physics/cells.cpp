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
}

bool Cells::find(const Particles& particles, std::size_t first, std::size_t last,
                 int* cells) const {
  const double* const positions = particles.positions().data();
  std::int64_t outside = 0;
  for_pieces(particles.words(), first, last,
             [&](std::size_t from, std::size_t base, auto count, std::size_t next, auto step) {
               int* const out = cells + (from - first);
               for (std::size_t axis = 3; axis-- > 0;) {
                 const double* const at = positions + base + axis * next;
                 const double low = lower_[axis], high = upper_[axis], scale = per_length_[axis];
                 const int inside = shape_[axis] - 2, shape = shape_[axis];
                 const bool is_first = axis == 2;
#pragma omp simd reduction(| : outside)
                 for (int k = 0; k < count; ++k) {
                   const double x = at[k * step];
                   // Rounding must not lead out of the region.
                   int place = 1 + std::min(static_cast<int>((x - low) * scale), inside - 1);
                   place = x < low ? 0 : place;
                   place = x >= high ? inside + 1 : place;
                   outside |= !(x >= low && x < high);
                   out[k] = (is_first ? 0 : out[k]) * shape + place;
                 }
               }
             });
  return outside == 0;
}

bool Cells::in_region(const Vector& position) const noexcept {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (!(position[axis] >= lower_[axis] && position[axis] < upper_[axis])) return false;
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

namespace {

/// Where each cell's begin, in the order of cells.
void count_up(const std::vector<int>& cells, int all, std::vector<int>& starts) {
  starts.assign(static_cast<std::size_t>(all) + 1, 0);
  for (const int cell : cells) ++starts[static_cast<std::size_t>(cell) + 1];
  int sum = 0;
  for (int& start : starts) start = sum += start;
}

}  // namespace

bool InCells::sort(const Cells& grid, Particles& particles) {
  cells.resize(particles.owned());
  if (!grid.find(particles, 0, cells.size(), cells.data())) return false;
  // From step to step few change their cells, and often none.
  if (std::ranges::is_sorted(cells)) {
    particles.set_ghosts(0);
    return true;
  }
  count_up(cells, grid.count(), starts);
  index.resize(cells.size());
  for (int i = 0; const int cell : cells)
    index[static_cast<std::size_t>(starts[static_cast<std::size_t>(cell)]++)] = i++;
  particles.reorder(index);
  std::ranges::sort(cells);
  return true;
}

void InCells::fill(const Cells& grid, const Particles& particles, const Vector& middle) {
  const std::size_t all = particles.size(), owned = particles.owned(), aligned = owned / 8 * 8;
  cells.resize(all);
  grid.find(particles, aligned, all, cells.data() + aligned);
  count_up(cells, grid.count(), starts);
  for (auto* of : {&x, &y, &z}) of->resize(all + tail);
  for (auto* of : {&index, &word}) of->resize(all + tail);
  const Words words = particles.words();
  const double* const positions = particles.positions().data();
  for (std::size_t i = 0; i < all; ++i) {
    const auto to = static_cast<std::size_t>(starts[static_cast<std::size_t>(cells[i])]++);
    const std::size_t at = words(i, 0);
    index[to] = static_cast<int>(i);
    word[to] = static_cast<int>(at);
    x[to] = static_cast<float>(positions[at] - middle[0]);
    y[to] = static_cast<float>(positions[words(i, 1)] - middle[1]);
    z[to] = static_cast<float>(positions[words(i, 2)] - middle[2]);
  }
  // Each has become the start of the next one.
  std::copy_backward(starts.begin(), starts.end() - 1, starts.end());
  starts.front() = 0;
}

}  // namespace md
