#pragma once
// Particles that a run starts from, out of a file: extended XYZ or LAMMPS' data file. What is read
// of each is described in docs/reference/file-formats.md.

#include "../physics/box.hpp"
#include "../physics/lennard_jones.hpp"

#include <formats/particles.hpp>
#include <halocline/more/mpi.hpp>

#include <string>
#include <vector>

namespace md {

/// What a file says of its box and of all particles.
struct FileFacts {
  formats::ParticleHead head;
  std::vector<std::string> notes{};  ///< on rank 0: what the user should know
};

/// Reads the file to its end. Collective; throws Error on all ranks, which names file and line, as
/// does the next.
FileFacts facts_of_file(MPI_Comm comm, const std::string& file);

/// The particles of the file's box, moved to where `box` begins, and into it along its periodic
/// axes: each rank gets those whose number leaves its own when divided by that of the ranks. Who
/// has no velocity is at rest; a momentum is divided by the mass of `lj`.
std::vector<Particle> particles_of_file(MPI_Comm comm, const std::string& file, const Box& box,
                                        const LennardJones& lj);

}  // namespace md
