#pragma once
#include "solver.hpp"

#include <string>

namespace partdiff {

/// Writes a picture of the solution, at most 1024 pixels wide, as a PNG file. Collective; throws
/// Error on all ranks.
void write_image(MPI_Comm comm, const Solver& solver, const std::string& file);

}  // namespace partdiff
