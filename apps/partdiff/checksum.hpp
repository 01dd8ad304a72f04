#pragma once
#include "solver.hpp"

#include <cstdint>

namespace partdiff {

/// A number that any changed bit of any point changes, and no decomposition. Collective.
std::uint64_t checksum(MPI_Comm comm, const Solver& solver);

}  // namespace partdiff
