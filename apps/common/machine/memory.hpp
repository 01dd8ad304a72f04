#pragma once
#include <halocline/more/mpi.hpp>

#include <string>

namespace machine {

/// Throws the same Error on all ranks, before anything is allocated, if a node's ranks together
/// need more memory than it has, or than its control group may have (a container's, a batch job's),
/// or one of them more than `ulimit` leaves to it: how much is needed, how much there is, and
/// where. `bytes` are those of this rank. Collective.
void check_memory(MPI_Comm comm, double bytes, const std::string& what);

/// The same for a program of one process, or where one rank alone needs memory.
void check_memory(double bytes, const std::string& what);

}  // namespace machine
