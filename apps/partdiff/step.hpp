#pragma once

#include "solver.hpp"

#include <frame/step.hpp>

namespace partdiff {

/// An exchange and the sweeps up to the next one, on so many ranks. Throws Error for sweeps on a
/// device, and for Gauss-Seidel's in blocks.
frame::Step step_of(Method method, const Problem&, const Settings&, int ranks);

}  // namespace partdiff
