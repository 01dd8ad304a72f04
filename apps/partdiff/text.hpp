#pragma once
// What the teaching code prints.

#include "solver.hpp"

#include <string>

namespace partdiff {

/// The report, byte for byte the teaching code's. Empty but on rank 0. Collective.
std::string report(MPI_Comm comm, const Problem&, Method, const Settings&, std::int64_t interlines,
                   const Solver&, const Outcome&, double seconds, double bytes);

}  // namespace partdiff
