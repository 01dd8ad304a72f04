#pragma once
// Particles that a run can start from without any file.

#include "../physics/box.hpp"
#include "../physics/lennard_jones.hpp"

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace md {

/// What a scenario sets, unless it is told otherwise.
struct Scenario {
  std::string name;
  LennardJones lj{};
  double skin = 0.3;
  double time_step = 0.005;
  std::int64_t steps = 100;
  double temperature = 0;
  Vector edges{};
  std::string note{};  ///< what the user should know

  /// Where particles are: on a lattice of so many cells, each with 1 or 4 particles.
  std::array<std::int64_t, 3> cells{};
  double spacing = 1;  ///< from cell to cell
  bool face_centred = false;
  double displaced = 0;  ///< at random, by up to so much along each axis
  double radius = 0;  ///< if positive, those within it alone, around a point off the box's middle
  std::uint64_t seed = 87287;

  std::int64_t sites() const noexcept {
    return cells[0] * cells[1] * cells[2] * (face_centred ? 4 : 1);
  }
};

/// What a scenario of a face-centred cubic lattice may be told about it; 0: as usual.
struct Lattice {
  std::array<std::int64_t, 3> cells{};  ///< along each axis
  double edge = 0;                      ///< of a cell, which has 4 particles
};

/// "melt": the usual one of LAMMPS (bench/in.lj): particles of density 0.8442 at temperature 1.44
/// on a face-centred cubic lattice, with the very velocities that LAMMPS gives them. "crystal": the
/// same lattice, perfect and at rest. "drop": a ball of liquid in vacuum, cut out of that lattice.
/// "sparse", "dense": a few particles to a cell of 3.5, and 42; the first has a lattice of its own,
/// the second one's edge is given.
/// Throws Error for another name, or a lattice that is not to be chosen.
Scenario scenario(const std::string& name, const Lattice& lattice = {});

/// This rank's even share of the particles, the same ones on any number of ranks: positions, then
/// velocities that have no momentum together and the scenario's temperature. Collective.
std::vector<Particle> particles_of(MPI_Comm comm, const Scenario& scenario, const Box& box);

}  // namespace md
