#include "jacobi_in_turn.hpp"

#include "cuts.hpp"

namespace partdiff {

using namespace halocline;

Grid jacobi_grid(MPI_Comm comm, const Problem& problem, const Settings& settings) {
  return Grid(comm, cells(problem), jacobi_options(settings));
}

Outcome sweep_in_turn(MPI_Comm comm, const Settings& settings, const KeptState& kept,
                      std::int64_t before, double& reducing,
                      const std::function<double*(std::int64_t k)>& array,
                      const std::function<double(std::int64_t k, bool wanted)>& sweep) {
  kept.begin(comm, before);
  if (const auto end = kept.end()) {
    kept.finish(*end, array(before));
    return *end;
  }
  const auto reduction = make_max_reduction(comm, settings.reduction, 2);
  // While one array is written the other still holds the sweep before: a reduction may be one late.
  const int lag = reduction->lag();
  const bool root = mpi::rank(comm) == 0;
  Outcome outcome;
  Laps laps;
  std::int64_t k = before;
  int late = 0;  // sweeps whose residuum is to come
  for (bool done = false; !done;) {
    ++k;
    const bool last = !settings.to_accuracy() && k == settings.iterations;
    const bool wanted = settings.to_accuracy() || last;
    const double mine = sweep(k, wanted);
    const bool keeps = !last && kept.due(k);
    std::optional<double> residuum;
    if (wanted) {
      const Stopwatch stopwatch(reducing);
      reduction->contribute(mine);
      // A state is kept when it is known not to be the last.
      for (++late; !done && late > (last || keeps ? 0 : lag); --late) {
        residuum = reduction->everywhere();
        done = settings.to_accuracy() && *residuum < settings.accuracy;
      }
    }
    done = done || last;
    if (done) outcome.residuum = *residuum;
    laps.lap();
    if (root && settings.progress) settings.progress(k, residuum);
    if (keeps && !done) done = !kept.save(k, array(k));
  }
  outcome.iterations = k - late;
  reduction->complete();
  outcome.steps = laps.take();
  if (!kept.ended()) kept.finish(outcome, array(outcome.iterations));
  return outcome;
}

}  // namespace partdiff
