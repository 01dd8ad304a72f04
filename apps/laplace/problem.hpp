#pragma once
// Laplace's equation on the unit cube, as I. Bethune, J. M. Bull, N. J. Dingle and N. J. Higham
// discretise it ("Performance analysis of asynchronous Jacobi's method implemented in MPI, SHMEM
// and OpenMP", MIMS EPrint 2012.62).

#include <cstdint>
#include <optional>
#include <vector>

namespace laplace {

/// `x`, `y` and `z` points inside the cube. Point (k, j, i), planes first, lies at x = i/(x+1),
/// y = j/(y+1), z = k/(z+1); an index of 0 or of one more than the last point's is the surface.
struct Problem {
  std::int64_t x = 1, y = 1, z = 1;
  double offset = 0;               ///< added to the surface's values and to those at the start
  std::optional<double> circle{};  ///< radius of the disc that the source is restricted to

  /// Points along each axis, slowest first, as a halocline::Grid has its cells.
  std::vector<std::int64_t> cells() const { return {z, y, x}; }
  std::int64_t points() const noexcept { return x * y * z; }

  /// The value of a point of the surface: exp(-((0.5-x)^2 + (0.5-y)^2)) at the bottom, z = 0, and 0
  /// elsewhere, plus the offset.
  double surface(std::int64_t k, std::int64_t j, std::int64_t i) const noexcept;
  /// What all points inside have at the start.
  double start() const noexcept { return offset; }
};

/// The process grid that grows with the number of ranks, (z, y, x): it doubles along x, then y,
/// then z, then x again; other prime factors than 2 take the same turns, smallest first.
std::vector<int> growing_dims(int ranks);

}  // namespace laplace
