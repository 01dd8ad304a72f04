#pragma once
// The physics: du/dt = d2u/dx2 + d2u/dy2 on the unit square, whose edges stay at 0. No MPI here.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace heat {

/// So many points a side inside the square; row i, column j lies at ((j + 1) h, (i + 1) h).
struct Plate {
  std::int64_t points = 100;

  /// How hot it is in the beginning.
  double start(std::int64_t i, std::int64_t j) const {
    const double h = 1.0 / static_cast<double>(points + 1), pi = std::numbers::pi;
    return std::sin(pi * h * static_cast<double>(i + 1)) *
           std::sin(pi * h * static_cast<double>(j + 1));
  }
};

/// One explicit Euler step of h^2 / 5 on a box of points whose rows are `row` apart in memory.
inline void step(const double* from, double* to, std::int64_t rows, std::int64_t columns,
                 std::ptrdiff_t row) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      const double* const u = from + i * row + j;
      to[i * row + j] = *u + 0.2 * (((u[-1] + u[1]) + (u[-row] + u[row])) - 4 * *u);
    }
}

}  // namespace heat
