#include "cells.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace md {

std::array<int, 3> cells_along(const Vector& edges, double reach) {
  // With the layer for ghosts. The table of so many takes 32 MiB, and particles that fill them some
  // 20 GiB: where there would be more, most are empty.
  constexpr double most = 1 << 22;
  std::array<double, 3> cells{};
  // A little less than fits, so that rounding makes no cell too narrow.
  for (std::size_t axis = 0; axis < 3; ++axis)
    cells[axis] = std::max(1.0, std::floor(edges[axis] / reach * (1 - 1e-9)));
  while ((cells[0] + 2) * (cells[1] + 2) * (cells[2] + 2) > most) {
    double& longest = *std::ranges::max_element(cells);
    longest = std::floor(longest / 2);
  }
  return {static_cast<int>(cells[0]), static_cast<int>(cells[1]), static_cast<int>(cells[2])};
}

Cells::Cells(const Vector& lower, const Vector& upper, double reach, CellIndices indices)
    : lower_(lower), upper_(upper) {
  const Vector edges{upper[0] - lower[0], upper[1] - lower[1], upper[2] - lower[2]};
  const std::array<int, 3> cells = cells_along(edges, reach);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    shape_[axis] = cells[axis] + 2;
    per_length_[axis] = cells[axis] / edges[axis];
  }
  if (indices == CellIndices::computed) return;
  table_.reserve(static_cast<std::size_t>(count()));
  for (int cell = 0; cell < count(); ++cell) table_.push_back(computed(cell, cell));
}

bool Cells::find(const Particles& particles, std::size_t first, std::size_t last,
                 int* cells) const {
  const double* const positions = particles.positions().data();
  const Vector low = lower_, high = upper_, scale = per_length_;
  const std::array<int, 3> shape = shape_;
  int outside = 0;
  for_pieces(particles.words(), first, last,
             [&](std::size_t from, std::size_t base, auto count, std::size_t next, auto step) {
               const double* const at = positions + base;
               int* const out = cells + (from - first);
               const auto place = [&](int k, std::size_t axis) {
                 const double x = at[static_cast<std::size_t>(k * step) + axis * next];
                 const double inside = shape[axis] - 2;
                 // Rounding must not lead out of the region.
                 double number = std::min((x - low[axis]) * scale[axis], inside - 1);
                 number = x < low[axis] ? -1 : number;
                 number = x >= high[axis] ? inside : number;
                 return static_cast<int>(number);
               };
#pragma omp simd reduction(| : outside)
               for (int k = 0; k < count; ++k) {
                 const int px = place(k, 0), py = place(k, 1), pz = place(k, 2);
                 const auto beyond = [&](int p, std::size_t axis) {
                   return static_cast<unsigned>(p) >= static_cast<unsigned>(shape[axis] - 2);
                 };
                 outside |= beyond(px, 0) | beyond(py, 1) | beyond(pz, 2);
                 out[k] = ((pz + 1) * shape[1] + py + 1) * shape[0] + px + 1;
               }
             });
  return outside == 0;
}

bool Cells::in_region(const Vector& position) const noexcept {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (!(position[axis] >= lower_[axis] && position[axis] < upper_[axis])) return false;
  return true;
}

Cells::Around Cells::computed(int first, int last) const noexcept {
  const int nx = shape_[0], ny = shape_[1], nz = shape_[2];
  const int x = first % nx, y = first / nx % ny, z = first / nx / ny;
  const int left = std::max(x - 1, 0), right = std::min(x + last - first + 1, nx - 1);
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

/// Where each cell's begin, in the order of cells; calls `act(cell, count)` for each.
template <class Act>
void count_up(const std::vector<int>& cells, int all, std::vector<int>& starts, Act&& act) {
  starts.assign(static_cast<std::size_t>(all) + 1, 0);
  for (const int cell : cells) ++starts[static_cast<std::size_t>(cell)];
  int sum = 0;
  for (int cell = 0; cell <= all; ++cell) {
    int& start = starts[static_cast<std::size_t>(cell)];
    const int count = std::exchange(start, sum);
    sum += count;
    act(cell, count);
  }
}

}  // namespace

bool InCells::sort(const Cells& grid, Particles& particles) {
  cells.resize(particles.owned());
  if (!grid.find(particles, 0, cells.size(), cells.data())) return false;
  if (std::ranges::is_sorted(cells)) {
    particles.set_ghosts(0);
    return true;
  }
  ordered_.clear();
  count_up(cells, grid.count(), starts, [](int, int) {});
  index.resize(cells.size());
  for (int i = 0; const int cell : cells)
    index[static_cast<std::size_t>(starts[static_cast<std::size_t>(cell)]++)] = i++;
  particles.reorder(index);
  std::ranges::sort(cells);
  return true;
}

void InCells::order(const Cells& grid, const Addressing& words) {
  ordered_ = cells;
  // No branch asks whether a cell is empty, as most may be, or not.
  occupied.resize(static_cast<std::size_t>(grid.count()) + 1);
  std::size_t some = 0;
  count_up(cells, grid.count(), starts, [&](int cell, int count) {
    occupied[some] = cell;
    some += count > 0;
  });
  occupied.resize(some);
  for (auto* of : {&index, &word}) of->resize(cells.size() + tail);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto to = static_cast<std::size_t>(starts[static_cast<std::size_t>(cells[i])]++);
    index[to] = static_cast<int>(i);
    word[to] = static_cast<int>(words(i, 0));
  }
  // Each has become the start of the next one.
  std::copy_backward(starts.begin(), starts.end() - 1, starts.end());
  starts.front() = 0;
}

void InCells::fill(const Cells& grid, const Particles& particles, const CoarseGrid& coarse) {
  const std::size_t all = particles.size(), owned = particles.owned(), aligned = owned / 8 * 8;
  cells.resize(all);
  grid.find(particles, aligned, all, cells.data() + aligned);
  // From step to step few change their cells, and often none.
  if (cells != ordered_) order(grid, particles.words());
  for (auto* of : {&x, &y, &z}) of->resize(all + tail);
  const double* const positions = particles.positions().data();
  const std::size_t next = particles.words()(0, 1) - particles.words()(0, 0);
  for (std::size_t place = 0; place < all; ++place) {
    const double* const at = positions + word[place];
    x[place] = coarse(at[0]);
    y[place] = coarse(at[next]);
    z[place] = coarse(at[2 * next]);
  }
}

}  // namespace md
