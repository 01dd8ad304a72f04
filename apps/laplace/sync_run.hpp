#pragma once
#include "run.hpp"
#include "solver.hpp"

namespace laplace {

/// What the synchronous solver of the grid is told on a rank.
Settings settings_of(const Config&, int rank);

/// A run of the synchronous solver of the grid. Throws the same Error on all ranks when something
/// does not fit. Collective.
std::unique_ptr<Run> make_sync_run(MPI_Comm comm, const Config&);

}  // namespace laplace
