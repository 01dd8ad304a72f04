#pragma once
// Sweeps over a cube of points as one would write them first: three loops.

#include "plain_square.hpp"

#include <laplace/problem.hpp>

namespace halometer::plain {

/// Points for `problem` and its surface, planes of rows, not yet in memory.
Points allocate(const laplace::Problem& problem);

/// The surface's values and those of the start; every plane by the thread that sweeps it.
void initialise(const laplace::Problem& problem, double* points, int threads);

/// One Jacobi sweep.
void jacobi(const laplace::Problem& problem, const double* in, double* out, int threads);

}  // namespace halometer::plain
