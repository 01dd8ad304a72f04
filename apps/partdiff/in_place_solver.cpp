#include "in_place_solver.hpp"

#include <machine/memory.hpp>

namespace partdiff {

using namespace halocline;

InPlaceSolver::InPlaceSolver(const Problem& problem, const Settings& settings, Grid grid, int reach)
    : settings_(settings), domain_(problem, std::move(grid)), kept_(settings_, domain_) {
  const Grid& mine = domain_.grid();
  const double arrays = reach > 0 ? 3 : 1;
  machine::check_memory(mine.comm(), arrays * sizeof(double) * static_cast<double>(mine.elements()),
                        "partdiff");
  array_ = Array<double>(mine, settings.scheme);
  if (reach > 0) snapshots_.emplace(mine.elements(), reach);
}

void InPlaceSolver::to_iterations(Outcome& outcome) {
  std::int64_t& k = outcome.iterations;
  for (k = before_; k < settings_.iterations;) {
    const int count = together(settings_.iterations - k);
    const bool last = k + count == settings_.iterations;
    const std::vector<double> changes = sweeps(k, count, last);
    k += count;
    if (last) outcome.residuum = changes.back();
    if (root() && settings_.progress) settings_.progress(k, std::nullopt);
    if (!last && kept_.due(k) && !kept_.save(k, array_.data())) return;
  }
  const Stopwatch stopwatch(phases_.reduce);
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &outcome.residuum, 1, MPI_DOUBLE, MPI_MAX, comm());
}

void InPlaceSolver::return_to(std::int64_t sweep) {
  const auto copy = snapshots_->restore(sweep, array_.data());
  if (!copy) domain_.initialise(array_.data(), settings_.threads);
  // A neighbour may still read what was in my array, and I must not yet read what is in its own.
  assemble(comm());
  for (std::int64_t k = copy.value_or(0); k < sweep;) {
    const int count = together(sweep - k);
    sweeps(k, count, false);
    k += count;
  }
}

Outcome InPlaceSolver::solve() {
  const MPI_Comm all = domain_.grid().comm();
  // A neighbour may still read what the last solution left.
  assemble(all);
  domain_.initialise(array_.data(), settings_.threads);
  before_ = kept_.load(array_.data());
  assemble(all);
  if (snapshots_) {
    snapshots_->forget();
    // As far back as the sweeps can go.
    if (before_ > 0) snapshots_->take(before_, array_.data());
  }
  phases_ = {};
  laps_ = {};
  Outcome outcome;
  if (comm() != MPI_COMM_NULL) {
    reset_times();
    kept_.begin(comm(), before_, apart());
    if (const auto end = kept_.end())
      outcome = *end;
    else if (settings_.to_accuracy())
      to_accuracy(outcome);
    else
      to_iterations(outcome);
    if (!kept_.ended()) kept_.finish(outcome, array_.data());
    phases_.exchange = times();
  }
  // Ranks that do not sweep learn it here.
  assemble(all);
  HALOCLINE_MPI(MPI_Bcast, &outcome.iterations, 1, MPI_INT64_T, 0, all);
  HALOCLINE_MPI(MPI_Bcast, &outcome.residuum, 1, MPI_DOUBLE, 0, all);
  outcome.steps = laps_.take();
  outcome.phases = phases_;
  return outcome;
}

}  // namespace partdiff
