#pragma once
#include "solver.hpp"

#include <string>

namespace partdiff {

/// Writes a picture of the solution as a PNG file. Collective; throws Error on all ranks.
void write_image(MPI_Comm comm, const Solver& solver, const std::string& file);

/// What this rank's points add to the checksum.
std::uint64_t checksum_of_mine(const Solver& solver);

}  // namespace partdiff
