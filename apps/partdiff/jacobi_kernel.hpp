#pragma once
#include "patch.hpp"

namespace partdiff {

/// One Jacobi sweep over a patch of the old grid. `out` is where its first point goes; rows there
/// are `in.stride` apart too. Returns the largest change, or 0 if it is not wanted.
double jacobi(const Patch& in, double* out, bool residuum, int threads);

}  // namespace partdiff
