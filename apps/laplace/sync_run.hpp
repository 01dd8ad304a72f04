#pragma once
#include "run.hpp"

namespace laplace {

/// A run of the synchronous solver of the grid. Throws the same Error on all ranks when something
/// does not fit. Collective.
std::unique_ptr<Run> make_sync_run(MPI_Comm comm, const Config&);

}  // namespace laplace
