#include "in_step.hpp"

#include "slowness.hpp"

#include <chrono>
#include <cmath>

namespace laplace {

AsyncOutcome iterate_in_step(System& system, HaloTraffic& traffic, GlobalSum& sum,
                             const AsyncSettings& settings, std::int64_t check_every) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  AsyncOutcome outcome;
  system.initialise();
  const double source = norm_of_source(system, sum);
  const auto begin = Clock::now();
  for (;; ++outcome.iterations) {
    traffic.exchange();
    const bool last = outcome.iterations >= settings.max_iterations;
    if (last || outcome.iterations % check_every == 0) {
      outcome.residual = std::sqrt(sum.everywhere(system.residual())) / source;
      outcome.converged = outcome.residual < settings.tolerance;
      if (settings.first) outcome.convergence.push_back({since(begin), outcome.residual});
      if (settings.first && settings.progress)
        settings.progress(outcome.iterations, outcome.residual);
      if (last || outcome.converged || !std::isfinite(outcome.residual)) break;
    }
    const auto start = Clock::now();
    {
      const Slowness slowness(settings.slow);
      system.sweep(1, false);
    }
    outcome.computing += since(start);
  }
  outcome.seconds = since(begin);
  outcome.phases = 0;
  return outcome;
}

}  // namespace laplace
