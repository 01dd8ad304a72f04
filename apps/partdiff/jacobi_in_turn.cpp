#include "jacobi_in_turn.hpp"

#include "cuts.hpp"

namespace partdiff {

using namespace halocline;

Grid jacobi_grid(MPI_Comm comm, const Problem& problem, const Settings& settings) {
  return Grid(comm, cells(problem), jacobi_options(settings));
}

Outcome sweep_in_turn(MPI_Comm comm, const Settings& settings, double& reducing,
                      const std::function<double(std::int64_t k, bool wanted)>& sweep) {
  const auto reduction = make_max_reduction(comm, settings.reduction, 2);
  // While one array is written the other still holds the sweep before: a reduction may be one late.
  const int lag = reduction->lag();
  const bool root = mpi::rank(comm) == 0;
  Outcome outcome;
  Laps laps;
  std::int64_t k = 0;
  for (bool done = false; !done;) {
    ++k;
    const bool last = !settings.to_accuracy() && k == settings.iterations;
    const bool wanted = settings.to_accuracy() || last;
    const double mine = sweep(k, wanted);
    std::optional<double> residuum;
    if (wanted) {
      const Stopwatch stopwatch(reducing);
      reduction->contribute(mine);
      if (last || k > lag) residuum = reduction->everywhere();
    }
    done = last || (residuum && *residuum < settings.accuracy);
    if (done) outcome.residuum = *residuum;
    laps.lap();
    if (root && settings.progress) settings.progress(k, residuum);
  }
  outcome.iterations = settings.to_accuracy() ? k - lag : k;
  reduction->complete();
  outcome.steps = laps.take();
  return outcome;
}

}  // namespace partdiff
