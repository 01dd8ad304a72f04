#include "in_step.hpp"

#include "slowness.hpp"

#include <machine/stopwatch.hpp>

#include <cmath>

namespace laplace {

AsyncOutcome iterate_in_step(System& system, HaloTraffic& traffic, GlobalSum& sum,
                             const AsyncSettings& settings, std::int64_t check_every,
                             KeptState* kept) {
  AsyncOutcome outcome;
  system.initialise();
  KeptState::Past now = kept != nullptr ? kept->load(system.parts()) : KeptState::Past{};
  outcome.iterations = now.iterations;
  const double source = norm_of_source(system, sum);
  const auto begin = machine::begun_before(now.seconds);
  for (;; ++outcome.iterations) {
    now.iterations = outcome.iterations;
    now.seconds = machine::seconds_since(begin);
    if (kept != nullptr && kept->due(now.iterations) && !kept->save(now, system.parts())) break;
    traffic.exchange();
    const bool last = outcome.iterations >= settings.max_iterations;
    if (last || outcome.iterations % check_every == 0) {
      outcome.residual = std::sqrt(sum.everywhere(system.residual())) / source;
      outcome.converged = outcome.residual < settings.tolerance;
      const bool end = last || outcome.converged || !std::isfinite(outcome.residual);
      if (end && kept != nullptr) kept->finish(now, system.parts());
      now.history.push_back({now.iterations, machine::seconds_since(begin), outcome.residual});
      if (settings.first && settings.progress)
        settings.progress(outcome.iterations, outcome.residual);
      if (end) break;
    }
    const machine::ComputingStopwatch computing(outcome.computing, "sweep");
    const Slowness slowness(settings.slow);
    system.sweep(1, false);
  }
  if (settings.first)
    for (const Check& check : now.history)
      outcome.convergence.push_back({check.seconds, check.residual});
  outcome.seconds = machine::seconds_since(begin);
  outcome.phases = 0;
  return outcome;
}

}  // namespace laplace
