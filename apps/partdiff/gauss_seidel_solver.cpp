// Gauss-Seidel: the lexicographic order, pipelined. A rank starts a sweep when the last row of its
// predecessor (this sweep) and the first row of its successor (the sweep before) are there, so that
// rank r works on sweep k while rank 0 is r sweeps ahead.

#include "gauss_seidel_kernel.hpp"
#include "need.hpp"
#include "pipeline.hpp"
#include "snapshots.hpp"
#include "solver.hpp"
#include "stop_signal.hpp"

#include <halocline/wait.hpp>

#include <algorithm>

namespace partdiff {

using namespace halocline;

namespace {

Grid make_grid(MPI_Comm comm, const Problem& problem, const Settings& settings) {
  const std::int64_t cells = problem.intervals() - 1;
  GridOptions options;
  options.corners = false;
  options.decomposition = settings.decomposition;
  return Grid(comm, {cells, cells}, options);
}

class GaussSeidelSolver final : public Solver {
 public:
  GaussSeidelSolver(MPI_Comm comm, const Problem& problem, const Settings& settings)
      : settings_(settings),
        domain_(problem, make_grid(comm, problem, settings)),
        active_(mpi::Comm::split(comm, domain_.idle() ? MPI_UNDEFINED : 0)) {
    const int ranks = domain_.grid().dims()[0] * domain_.grid().dims()[1];
    // The last rank is about as many sweeps behind as there are ranks before it.
    horizon_ = std::max(16, 4 * ranks);
    // A rank that knows every maximum at once does not overshoot.
    const bool returns = settings_.to_accuracy() && settings_.exact && ranks > 1 &&
                         settings_.reduction != ReductionKind::allreduce;
    const std::size_t elements = domain_.grid().elements();
    check_memory(comm, (returns ? 3.0 : 1.0) * sizeof(double) * static_cast<double>(elements),
                 "partdiff");
    array_ = Array<double>(domain_.grid(), settings_.scheme);
    if (returns) snapshots_.emplace(elements, horizon_);
    if (!domain_.idle()) {
      pipeline_.emplace(active_, domain_, array_, settings_.scheme);
      pipeline_->measure(settings_.measure);
    }
  }

  Outcome solve() override;
  const Domain& domain() const override { return domain_; }
  const double* solution() const override { return array_.data(); }
  std::string note() const override { return array_.memory().note(); }

 private:
  void to_iterations(Outcome& outcome);
  void to_accuracy(Outcome& outcome);
  double sweep(bool residuum);
  double compute(const Patch& patch, bool residuum);

  Settings settings_;
  Domain domain_;
  mpi::Comm active_;  ///< the ranks that own points
  int horizon_ = 0;   ///< sweeps that rank 0 may be ahead of the newest known residuum
  Array<double> array_;
  std::optional<Snapshots> snapshots_;
  std::optional<Pipeline> pipeline_;
  Laps laps_;
  Phases phases_;
};

double GaussSeidelSolver::compute(const Patch& patch, bool residuum) {
  if (patch.empty()) return 0;
  const Stopwatch stopwatch(phases_.compute);
  return gauss_seidel(patch, residuum, patch.worthwhile(settings_.threads));
}

/// Returns the largest change of my points.
double GaussSeidelSolver::sweep(bool residuum) {
  pipeline_->receive_from_before();
  const Patch patch = pipeline_->patch(array_.data());
  // What the ranks before me wait for comes first: the first row, and with blocks the first column.
  const std::ptrdiff_t columns = domain_.left() == MPI_PROC_NULL ? 0 : 1;
  const std::ptrdiff_t rows = domain_.up() == MPI_PROC_NULL && columns == 0 ? 0 : 1;
  double largest = compute(patch.part(0, rows, 0, patch.columns), residuum);
  largest = std::max(largest, compute(patch.part(rows, patch.rows, 0, columns), residuum));
  pipeline_->send_to_before();
  largest =
      std::max(largest, compute(patch.part(rows, patch.rows, columns, patch.columns), residuum));
  pipeline_->exchange_with_after();
  return largest;
}

void GaussSeidelSolver::to_iterations(Outcome& outcome) {
  for (std::int64_t k = 1; k <= settings_.iterations; ++k) {
    const double mine = sweep(k == settings_.iterations);
    outcome.residuum = mine;
    laps_.lap();
    if (settings_.progress && mpi::rank(active_) == 0) settings_.progress(k, std::nullopt);
  }
  outcome.iterations = settings_.iterations;
  const Stopwatch stopwatch(phases_.reduce);
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &outcome.residuum, 1, MPI_DOUBLE, MPI_MAX, active_);
}

/// Rank 0 is the first to begin a sweep and so decides which one is the last. It learns some sweeps
/// late that sweep k* was good enough, and ends the pipeline at its own current sweep.
void GaussSeidelSolver::to_accuracy(Outcome& outcome) {
  const auto reduction = make_max_reduction(active_, settings_.reduction, horizon_);
  StopSignal signal(active_, domain_);
  if (snapshots_) snapshots_->forget();
  const bool root = mpi::rank(active_) == 0;
  std::vector<double> maxima;  // rank 0: of the sweeps done, as far as known
  std::int64_t converged = 0;  // k*, 0 while unknown
  const auto collect = [&] {
    while (const auto maximum = reduction->next()) {
      if (!root) continue;
      maxima.push_back(*maximum);
      if (converged == 0 && *maximum < settings_.accuracy) converged = std::ssize(maxima);
    }
  };

  std::int64_t k = 0;
  for (;; ++k) {
    {
      const Stopwatch stopwatch(phases_.reduce);
      collect();
      if (root)
        wait_until("partdiff: residuum of a sweep long done", [&] {
          collect();
          return converged > 0 || k - std::ssize(maxima) < horizon_;
        });
      converged = signal.pass_on(converged);
    }
    if (converged > 0) break;
    if (snapshots_) snapshots_->take(k, array_.data());
    const double mine = sweep(true);
    {
      const Stopwatch stopwatch(phases_.reduce);
      reduction->contribute(mine);
    }
    laps_.lap();
    if (root && settings_.progress)
      settings_.progress(k + 1, maxima.empty() ? std::nullopt : std::optional(maxima.back()));
  }
  reduction->complete();
  collect();

  outcome.iterations = k;
  if (snapshots_ && converged < k) {
    std::int64_t again = snapshots_->restore(converged, array_.data());
    // With access=direct a neighbour's array is read in place: it must be restored first.
    assemble(active_);
    for (; again < converged; ++again) {
      sweep(false);
      laps_.lap();
    }
    outcome.iterations = converged;
  }
  if (root) outcome.residuum = maxima[static_cast<std::size_t>(outcome.iterations - 1)];
}

Outcome GaussSeidelSolver::solve() {
  assemble(domain_.grid().comm());
  domain_.initialise(array_.data());
  assemble(domain_.grid().comm());
  if (pipeline_) pipeline_->reset_times();
  phases_ = {};
  laps_ = {};
  Outcome outcome;
  if (!domain_.idle()) {
    if (settings_.to_accuracy())
      to_accuracy(outcome);
    else
      to_iterations(outcome);
    phases_.exchange = pipeline_->times();
  }
  // Ranks without points learn it here.
  assemble(domain_.grid().comm());
  HALOCLINE_MPI(MPI_Bcast, &outcome.iterations, 1, MPI_INT64_T, 0, domain_.grid().comm());
  HALOCLINE_MPI(MPI_Bcast, &outcome.residuum, 1, MPI_DOUBLE, 0, domain_.grid().comm());
  outcome.steps = laps_.take();
  outcome.phases = phases_;
  return outcome;
}

}  // namespace

std::unique_ptr<Solver> make_gauss_seidel_solver(MPI_Comm comm, const Problem& problem,
                                                 const Settings& settings) {
  return std::make_unique<GaussSeidelSolver>(comm, problem, settings);
}

}  // namespace partdiff
