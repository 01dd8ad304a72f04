// Jacobi with several sweeps between exchanges: the halos are as deep, and the sweeps in flight
// together run over one array, halos included. What they compute in the halo is right in fewer rows
// with every sweep; by the time of the next exchange it has just not reached my own points.

#include "need.hpp"
#include "snapshots.hpp"
#include "solver.hpp"
#include "sweeps.hpp"

#include <algorithm>

namespace partdiff {

using namespace halocline;

namespace {

Grid make_grid(MPI_Comm comm, const Problem& problem, const Settings& settings) {
  const std::int64_t cells = problem.intervals() - 1;
  GridOptions options;
  options.decomposition = settings.decomposition;
  options.halos.assign(2, HaloWidth(settings.halo_depth));
  // Rows have no neighbour to the left or right: there the halo is only the boundary.
  if (settings.decomposition == Decomposition::rows) options.halos[1] = HaloWidth(1);
  // One rank has no neighbours at all.
  if (mpi::size(comm) == 1) options.halos[0] = options.halos[1] = HaloWidth(1);
  return Grid(comm, {cells, cells}, options);
}

class DeepJacobiSolver final : public Solver {
 public:
  DeepJacobiSolver(MPI_Comm comm, const Problem& problem, const Settings& settings)
      : settings_(settings), domain_(problem, make_grid(comm, problem, settings)) {
    const Grid& grid = domain_.grid();
    const bool returns = settings_.to_accuracy();
    check_memory(comm,
                 (returns ? 3.0 : 1.0) * sizeof(double) * static_cast<double>(grid.elements()),
                 "partdiff");
    array_ = Array<double>(grid, settings.scheme);
    exchange_.emplace(grid.comm(), grid.halo(), array_, settings.scheme);
    exchange_->measure(settings.measure);
    // A reduction that overlaps work is a whole block of sweeps late.
    if (returns) snapshots_.emplace(grid.elements(), 2 * settings_.halo_depth);
  }

  Outcome solve() override;
  const Domain& domain() const override { return domain_; }
  const double* solution() const override { return array_.data(); }
  int halo_depth() const override { return settings_.halo_depth; }
  std::string note() const override { return array_.memory().note(); }

 private:
  void to_iterations(Outcome& outcome);
  void to_accuracy(Outcome& outcome);
  std::vector<double> sweep(std::int64_t done, int count, bool residuum);
  bool root() const { return mpi::rank(domain_.grid().comm()) == 0; }

  Settings settings_;
  Domain domain_;
  Array<double> array_;
  std::optional<Exchange> exchange_;
  std::optional<Snapshots> snapshots_;
  Workspace workspace_;
  Laps laps_;
  Phases phases_;
};

/// Sweeps done + 1 .. done + count; returns the largest changes of my points, if wanted.
std::vector<double> DeepJacobiSolver::sweep(std::int64_t done, int count, bool residuum) {
  std::vector<double> changes(residuum ? static_cast<std::size_t>(count) : 0);
  // The initial halos are right without an exchange.
  if (done > 0) exchange_->run();
  if (!domain_.idle()) {
    const Stopwatch stopwatch(phases_.compute);
    const Patch all = domain_.patch(array_.data());
    // My own points, and the halo where a neighbour is.
    const std::ptrdiff_t r = domain_.halo(0) - 1, c = domain_.halo(1) - 1;
    const auto depth = [](int peer, std::ptrdiff_t halo) {
      return peer == MPI_PROC_NULL ? 0 : halo;
    };
    const std::ptrdiff_t above = depth(domain_.up(), r), before = depth(domain_.left(), c);
    Sweeps sweeps;
    sweeps.patch = all.part(r - above, r + domain_.rows() + depth(domain_.down(), r), c - before,
                            c + domain_.columns() + depth(domain_.right(), c));
    sweeps.count = count;
    sweeps.changes = residuum ? changes.data() : nullptr;
    sweeps.counted = {above, above + domain_.rows(), before, before + domain_.columns()};
    jacobi_sweeps(sweeps, sweeps.patch.worthwhile(settings_.threads), workspace_);
  }
  laps_.lap(count);
  return changes;
}

void DeepJacobiSolver::to_iterations(Outcome& outcome) {
  for (std::int64_t k = 0; k < settings_.iterations;) {
    const int count =
        static_cast<int>(std::min<std::int64_t>(settings_.halo_depth, settings_.iterations - k));
    const bool last = k + count == settings_.iterations;
    const std::vector<double> changes = sweep(k, count, last);
    k += count;
    if (last) outcome.residuum = changes.back();
    if (root() && settings_.progress) settings_.progress(k, std::nullopt);
  }
  outcome.iterations = settings_.iterations;
  const Stopwatch stopwatch(phases_.reduce);
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &outcome.residuum, 1, MPI_DOUBLE, MPI_MAX,
                domain_.grid().comm());
}

void DeepJacobiSolver::to_accuracy(Outcome& outcome) {
  const int depth = settings_.halo_depth;
  const auto reduction = make_max_reduction(domain_.grid().comm(), settings_.reduction, 2 * depth);
  const int late = reduction->lag() > 0 ? depth : 0;
  snapshots_->forget();
  Forecast forecast(settings_.accuracy);
  std::int64_t k = 0, converged = 0;
  while (converged == 0) {
    if (forecast.may_end(k + 2 * depth)) snapshots_->take(k, array_.data());
    const std::vector<double> changes = sweep(k, depth, true);
    k += depth;
    const Stopwatch stopwatch(phases_.reduce);
    for (const double change : changes) reduction->contribute(change);
    while (converged == 0 && forecast.known() < k - late) {
      outcome.residuum = reduction->everywhere();
      forecast.add(outcome.residuum);
      if (outcome.residuum < settings_.accuracy) converged = forecast.known();
    }
    if (root() && settings_.progress) settings_.progress(forecast.known(), outcome.residuum);
  }
  reduction->complete();
  // Back to the sweep that met the criterion.
  if (converged < k) {
    if (const auto copy = snapshots_->restore(converged, array_.data())) {
      k = *copy;
    } else {
      domain_.initialise(array_.data());
      k = 0;
    }
    // With one-sided schemes a neighbour may still be reading my array.
    assemble(domain_.grid().comm());
    while (k < converged) {
      const int count = static_cast<int>(std::min<std::int64_t>(depth, converged - k));
      sweep(k, count, false);
      k += count;
    }
  }
  outcome.iterations = converged;
}

Outcome DeepJacobiSolver::solve() {
  const MPI_Comm comm = domain_.grid().comm();
  assemble(comm);
  domain_.initialise(array_.data());
  assemble(comm);
  exchange_->reset_times();
  phases_ = {};
  laps_ = {};
  Outcome outcome;
  if (settings_.to_accuracy())
    to_accuracy(outcome);
  else
    to_iterations(outcome);
  phases_.exchange = exchange_->times();
  outcome.steps = laps_.take();
  outcome.phases = phases_;
  return outcome;
}

}  // namespace

std::unique_ptr<Solver> make_deep_jacobi_solver(MPI_Comm comm, const Problem& problem,
                                                const Settings& settings) {
  return std::make_unique<DeepJacobiSolver>(comm, problem, settings);
}

}  // namespace partdiff
