#pragma once
#include <halocline/mpi.hpp>

#include <string>

namespace machine {

/// Throws the same Error on all ranks, before anything is allocated, if a node's ranks together
/// need more memory than it has: how much is needed, how much there is, and where. Collective.
void check_memory(MPI_Comm comm, double bytes, const std::string& what);

}  // namespace machine
