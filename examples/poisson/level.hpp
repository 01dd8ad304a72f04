#pragma once
// One level of the multigrid: -Δu = f on a part of the unit cube's cells, u = 0 on its faces.

#include <halocline/halocline.hpp>

#include <cstddef>
#include <vector>

namespace poisson {

/// Values are those of the cells' centres. Arrays hold my cells and the halo around them.
struct Level {
  Level(const halocline::Grid& cut, const halocline::Scheme& scheme)
      : grid(cut),
        u(grid, scheme),
        right(grid.elements()),
        halo(grid.comm(), grid.halo(), u, scheme),
        planes(grid.local(0)),
        rows(grid.local(1)),
        columns(grid.local(2)) {}

  halocline::Grid grid;
  halocline::Array<double> u;
  std::vector<double> right;             ///< f, times the square of the cells' width
  halocline::Exchange halo;              ///< of u
  std::ptrdiff_t planes, rows, columns;  ///< of the arrays

  std::ptrdiff_t at(std::ptrdiff_t plane, std::ptrdiff_t row) const {
    return (plane * rows + row) * columns;
  }
};

/// Beyond the cube's faces u is the opposite of what it is before them, so that it is 0 on them.
void reflect(Level& level);
/// A half-sweep of Gauss-Seidel: cells of one colour, 0 or 1. The halo is there, as in all below.
void sweep(Level& level, int colour);
/// Sets the coarser level's right side: the means of this level's residuals, eight cells each.
void restrict_residual(const Level& fine, Level& coarse);
/// Adds what the coarser level has found, linear between its cells' centres.
void prolong(const Level& coarse, Level& fine);
/// The largest residual of my cells, times the square of their width.
double largest_residual(const Level& level);

}  // namespace poisson
