#pragma once
// Velocity Verlet (W. C. Swope et al., J. Chem. Phys. 76 (1982) 637) in fixed point: every change
// of a position or a velocity is rounded to its grid, a negative one as the positive one. So time
// runs backwards as exactly as forwards: with all velocities turned, the first bits come back.
//
// A step: kick, drift, (forces), kick. Two kicks in a row are not one of twice the size.

#include "forces.hpp"

namespace md {

class Integrator {
 public:
  /// Throws std::invalid_argument for a time step that is not positive.
  Integrator(const Box& box, const ForceSettings& settings, double time_step);

  /// v += F dt / 2 m. Throws std::runtime_error naming a particle that becomes faster than a
  /// velocity can be.
  void kick(Particles& particles) const;
  /// x += v dt, of owned particles; back into the box happens in `wrap`. Returns the square of the
  /// largest distance that a particle has now from where it was at `remember`, with lists off 0.
  /// Throws std::runtime_error naming a particle that moves by more than half a cut-off in this
  /// step.
  double drift(Particles& particles);
  /// What `drift` measures from.
  void remember(const Particles& particles);
  /// Back into the box, along periodic axes by edges. Before `sort`. (At walls, `drift` reflects.)
  void wrap(Particles& particles) const;

 private:
  void reflect(Particles& particles, std::size_t axis) const;

  Box box_;
  ForceSettings settings_;
  double time_step_;
  std::vector<double> remembered_;  ///< words as those of positions
};

/// Turns all velocities.
void reverse(Particles& particles);

/// Sums over particles. Over all ranks: the sum of the integers, one by one.
class ParticleSums {
 public:
  ParticleSums() = default;
  ParticleSums(const Particles& particles, const LennardJones& lj);
  double kinetic(const LennardJones& lj) const;  ///< m v^2 / 2 of all
  Vector momentum(const LennardJones& lj) const;
  std::int64_t particles() const noexcept { return integers_[0]; }

  std::array<std::int64_t, 11>& integers() noexcept { return integers_; }

 private:
  std::array<std::int64_t, 11> integers_{};
};

}  // namespace md
