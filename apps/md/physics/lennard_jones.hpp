#pragma once
// The Lennard-Jones 12-6 potential (J. E. Lennard-Jones, Proc. R. Soc. A 106 (1924) 463):
//   u(r) = 4 epsilon ((sigma/r)^12 - (sigma/r)^6)  for r below the cut-off, else 0.
// The force on a particle is 24 epsilon / r^2 (2 (sigma/r)^12 - (sigma/r)^6) along the separation.

#include "fixed_point.hpp"

namespace md {

struct LennardJones {
  double mass = 1, sigma = 1, epsilon = 1;
  double cutoff = 2.5;
  bool shifted = false;  ///< u is raised so that it is 0 at the cut-off; forces are the same

  /// Throws std::invalid_argument naming the first value that makes no sense.
  void check() const;

  /// Closer particles overlap: an error. The potential there is 1750 epsilon.
  double closest() const noexcept { return 0.6 * sigma; }
  /// What u is raised by.
  double shift() const noexcept;
  /// u for the square of a distance below the cut-off: the very operations of all kernels.
  double potential(double distance_squared) const noexcept;

  /// The grids that sums are taken on. A pair of particles that are not too close is within range.
  FixedPoint force_grid() const noexcept;
  FixedPoint energy_grid() const noexcept;  ///< for u and for the virial r du/dr
  /// Velocities are multiples of its quantum and below its limit, 2048 sqrt(epsilon / mass).
  FixedPoint velocity_grid() const noexcept;
  double velocity_quantum() const noexcept { return velocity_grid().quantum(); }
};

}  // namespace md
