#pragma once
// Particles of all ranks, one after the other by number: the same file on any ranks.

#include "../physics/particle.hpp"

#include <halocline/more/mpi.hpp>

#include <functional>
#include <span>

namespace md {

/// Calls `act` on rank 0 with all particles, piece after piece, in the order of their numbers. No
/// rank holds many more than its own. Collective; what `act` throws, all ranks throw.
void in_order(MPI_Comm comm, std::span<const Particle> mine,
              const std::function<void(std::span<const Particle>)>& act);

/// How many particles all ranks have. Collective.
std::int64_t count_of(MPI_Comm comm, std::span<const Particle> mine);

}  // namespace md
