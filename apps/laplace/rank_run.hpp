#pragma once
#include "run.hpp"
#include "share.hpp"

namespace laplace {

/// A run whose workers are ranks. Throws the same Error on all of them when something does not fit.
/// Collective.
std::unique_ptr<Run> make_rank_run(MPI_Comm comm, const Config&, Share share);

}  // namespace laplace
