#pragma once
// Particles that a run starts from, out of a file: extended XYZ (*.xyz, *.extxyz) or LAMMPS' data
// file (anything else). What is read of each is described in docs/reference/md-files.md.

#include "../physics/box.hpp"
#include "../physics/lennard_jones.hpp"

#include <halocline/mpi.hpp>

#include <optional>
#include <string>
#include <vector>

namespace md {

/// What a file says before its particles.
struct FileHead {
  std::int64_t particles = 0;
  Vector origin{}, edges{};
  std::array<bool, 3> walls{};
  std::optional<double> mass{}, sigma{}, epsilon{};
};

/// Collective; throws Error on all ranks, which names file and line, as does the next.
FileHead read_head(MPI_Comm comm, const std::string& file);

/// The particles of the file's box, moved to where `box` begins: each rank gets those whose number
/// leaves its own when divided by that of the ranks. Who has no velocity is at rest.
std::vector<Particle> particles_of_file(MPI_Comm comm, const std::string& file, const Box& box,
                                        const LennardJones& lj);

}  // namespace md
