#pragma once
// Synchronous iterations of any system: exchange, sweep, and look at the residual now and then.

#include "async_loop.hpp"
#include "kept_state.hpp"

namespace laplace {

/// As `iterate`, in step: all workers do the same iterations. `check_every` of them pass between
/// looks at the residual, iteration 0 included. `kept` may be null.
AsyncOutcome iterate_in_step(System&, HaloTraffic&, GlobalSum&, const AsyncSettings&,
                             std::int64_t check_every, KeptState* kept);

}  // namespace laplace
