// The ranks on this machine. When one of them aborts, launchers may end the others at once: they
// write what they have before.
#pragma once

#include "mpi.hpp"

#include <cstddef>
#include <cstdint>

namespace recorder {

// The same for all processes of a machine.
std::uint64_t machine_identity();

// What this process may still ask for by its limits (ulimit -v and -d); SIZE_MAX without any.
std::size_t memory_left();

// Who else is here. Collective over the world.
void meet_machine(MPI_Comm world);

// Has all others here write their recordings, by a signal, and waits for them: half a second at
// most. As one may in a signal handler.
void have_others_write();

}  // namespace recorder
