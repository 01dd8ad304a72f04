#include "in_step.hpp"

#include "slowness.hpp"

#include <machine/stopwatch.hpp>

#include <cmath>

namespace laplace {

AsyncOutcome iterate_in_step(System& system, HaloTraffic& traffic, GlobalSum& sum,
                             const AsyncSettings& settings, std::int64_t check_every) {
  AsyncOutcome outcome;
  system.initialise();
  const double source = norm_of_source(system, sum);
  const auto begin = machine::Clock::now();
  for (;; ++outcome.iterations) {
    traffic.exchange();
    const bool last = outcome.iterations >= settings.max_iterations;
    if (last || outcome.iterations % check_every == 0) {
      outcome.residual = std::sqrt(sum.everywhere(system.residual())) / source;
      outcome.converged = outcome.residual < settings.tolerance;
      if (settings.first)
        outcome.convergence.push_back({machine::seconds_since(begin), outcome.residual});
      if (settings.first && settings.progress)
        settings.progress(outcome.iterations, outcome.residual);
      if (last || outcome.converged || !std::isfinite(outcome.residual)) break;
    }
    const machine::ComputingStopwatch computing(outcome.computing, "sweep");
    const Slowness slowness(settings.slow);
    system.sweep(1, false);
  }
  outcome.seconds = machine::seconds_since(begin);
  outcome.phases = 0;
  return outcome;
}

}  // namespace laplace
