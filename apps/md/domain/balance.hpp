#pragma once
// Cuts move until all ranks have as much to do.

#include "decomposition.hpp"

#include <mpi.h>

namespace md {

/// What a rank has to do beside the mean: the slowest rank's work over the mean of all. Collective.
double imbalance(MPI_Comm comm, double work);

/// The same parts with new cuts, that share what the particles cost: this rank's `work` together,
/// each as much. First slabs, then columns in each, then pieces of each column (recursive
/// multisection: Makino, Publ. Astron. Soc. Japan 56 (2004) 521); `straight`: all axes alone, as
/// the eighth shell needs it. No piece becomes thinner than `least`. Collective.
Decomposition balanced(MPI_Comm comm, const Decomposition& now, const Particles& particles,
                       double work, bool straight, double least);

}  // namespace md
