#pragma once
#include "run.hpp"

#include <frame/step.hpp>

namespace laplace {

/// An exchange of the synchronous solver of the grid and the sweeps up to the next one, on so many
/// ranks. The residual, which is looked at now and then, is not in it. Throws Error for other modes
/// and systems.
frame::Step step_of(const Config& config, int ranks);

}  // namespace laplace
