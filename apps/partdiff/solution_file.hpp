#pragma once
#include "solver.hpp"

#include <string>

namespace partdiff {

/// Writes all points as a NumPy file of doubles; every rank writes its part. The file appears under
/// its name only when it is complete. Collective; throws Error on all ranks.
void write_npy(MPI_Comm comm, const Solver& solver, const std::string& file);

}  // namespace partdiff
