#pragma once
// A run's state in a file, from which another one goes on with the same bits, on any ranks.

#include "../physics/box.hpp"
#include "../physics/lennard_jones.hpp"

#include <halocline/more/mpi.hpp>

#include <span>
#include <string>
#include <vector>

namespace md {

/// All of a state but the particles.
struct Moment {
  std::int64_t step = 0, left = 0;  ///< steps made since the particles were new; still to be made
  std::int64_t particles = 0;
  Vector edges{};
  std::array<bool, 3> walls{};
  LennardJones lj{};
  double time_step = 0, skin = 0;
};

/// Whole or not at all: what was in the file before stays until the new state is on the disk. The
/// same bytes on any ranks (docs/reference/md-files.md). Collective; throws Error on all ranks.
void write_checkpoint(MPI_Comm comm, const std::string& file, Moment moment,
                      std::span<const Particle> mine);

/// Throws Error, on all ranks, about a file that is no checkpoint, of another version, or not as
/// long as it has to be. Collective.
Moment read_moment(MPI_Comm comm, const std::string& file);

/// This rank's even share of the particles, the very bits unless box or potential are others now.
/// Throws Error, on all ranks, also where the checksum is not that of the content. Collective.
std::vector<Particle> read_checkpoint(MPI_Comm comm, const std::string& file, const Box& box,
                                      const LennardJones& lj);

}  // namespace md
