#pragma once
#include "patch.hpp"

namespace partdiff {

/// One Gauss-Seidel sweep over a patch, in place, with the result of the lexicographic order.
/// Returns the largest change, or 0 if it is not wanted.
double gauss_seidel(const Patch& patch, bool residuum, int threads);

}  // namespace partdiff
