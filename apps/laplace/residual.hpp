#pragma once
// The residual |b - A u| / |b|: A u is 6 u less the six neighbours, where they are inside, and b is
// what the surface contributes to them; norms are 2-norms over all points.

#include "box.hpp"
#include "problem.hpp"

#include <numerics/exact_sum.hpp>

#include <halocline/grid.hpp>

namespace laplace {

/// The squares of a box's residuals. The points beside it are right.
numerics::ExactSum squared_residual(const Box&, int threads);

/// What the surface contributes to the equations of a rank's points.
numerics::ExactSum squared_source(const Problem&, const halocline::Grid&);

/// The relative residual.
double residual(const numerics::ExactSum& squared_residual,
                const numerics::ExactSum& squared_source);

/// The sum over all ranks. Collective.
numerics::ExactSum over_ranks(MPI_Comm comm, numerics::ExactSum mine);

}  // namespace laplace
