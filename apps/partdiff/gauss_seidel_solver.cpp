// Gauss-Seidel: the lexicographic order, pipelined. A rank starts a sweep when the last row of its
// predecessor (this sweep) and the first row of its successor (the sweep before) are there, so that
// rank r works on sweep k while rank 0 is r sweeps ahead.
//
// With several sweeps in flight a rank leaves its last rows as they are when the sweeps have
// passed: each row has had one sweep fewer than the one above. Its successor takes these rows over,
// completes them, and gives them back before it goes on, so that rank r is r blocks of sweeps
// behind rank 0.

#include "cuts.hpp"
#include "in_place_solver.hpp"
#include "pipeline.hpp"
#include "stop_signal.hpp"

#include <halocline/more/waiting.hpp>

#include <algorithm>

namespace partdiff {

using namespace halocline;

namespace {

/// Instead of the signal to go on: the sweep may be the last that is wanted, so copy what it
/// changes.
constexpr std::int64_t copy_first = -1;

/// How many sweeps rank 0 may be ahead of the newest residuum that it knows: the last rank is about
/// as many blocks of sweeps behind as there are ranks before it.
int horizon(const Grid& grid, const Settings& settings) {
  return std::max(16, 4 * grid.dims()[0] * grid.dims()[1] * settings.halo_depth);
}

/// How many sweeps may have been too many, all of which are to be undone.
int overshoot(const Grid& grid, const Settings& settings) {
  // A rank that knows every maximum at once does not go on.
  const bool at_once =
      grid.dims()[0] * grid.dims()[1] == 1 || settings.reduction == ReductionKind::allreduce;
  const bool returns =
      settings.to_accuracy() && settings.exact && (settings.halo_depth > 1 || !at_once);
  return returns ? horizon(grid, settings) : 0;
}

class GaussSeidelSolver final : public InPlaceSolver {
 public:
  GaussSeidelSolver(Grid grid, const Problem& problem, const Settings& settings)
      : InPlaceSolver(problem, settings, grid, overshoot(grid, settings)),
        active_(mpi::Comm::split(grid.comm(), domain_.idle() ? MPI_UNDEFINED : 0)) {
    if (domain_.idle()) return;
    const bool deep = settings_.halo_depth > 1 && grid.dims()[0] > 1;
    pipeline_.emplace(active_, domain_, array_, settings_.scheme, deep ? rows_taken_over : 0);
    pipeline_->measure(settings_.measure);
    computed_ = rows_in_flight(grid.cut(), grid.coordinates()[0]);
  }

  std::vector<std::string> schemes() const override {
    return pipeline_ ? pipeline_->schemes() : std::vector<std::string>{};
  }

 private:
  MPI_Comm comm() const override { return active_; }
  int together(std::int64_t most) const override {
    return std::min(settings_.halo_depth, flight(most));
  }
  std::vector<double> sweeps(std::int64_t done, int count, bool residuum) override;
  void to_accuracy(Outcome& outcome) override;
  std::int64_t apart() const override {
    return horizon(domain_.grid(), settings_) / settings_.halo_depth + 1;
  }
  void reset_times() override { pipeline_->reset_times(); }
  ExchangeTimes times() const override { return pipeline_->times(); }

  void one_sweep(Sweeps sweep);
  void flight_of_sweeps(Sweeps sweeps);
  void compute(Sweeps sweeps, const Patch& patch);
  void compute(Sweeps sweeps, const Range& rows);

  mpi::Comm active_;  ///< the ranks that own points
  std::optional<Pipeline> pipeline_;
  Range computed_{};  ///< rows of the grid, with sweeps in flight
};

void GaussSeidelSolver::compute(Sweeps sweeps, const Patch& patch) {
  const ComputingStopwatch stopwatch(phases_.compute, "sweeps");
  sweeps.patch = patch;
  sweeps.counted = {0, patch.rows, 0, patch.columns};
  gauss_seidel_sweeps(sweeps, patch.worthwhile(settings_.threads), workspace_);
}

void GaussSeidelSolver::one_sweep(Sweeps sweep) {
  pipeline_->receive_from_before();
  const Patch patch = pipeline_->patch(array_.data());
  // What the ranks before me wait for comes first: the first row, and with blocks the first column.
  const std::ptrdiff_t columns = domain_.left() == MPI_PROC_NULL ? 0 : 1;
  const std::ptrdiff_t rows = domain_.up() == MPI_PROC_NULL && columns == 0 ? 0 : 1;
  compute(sweep, patch.part(0, rows, 0, patch.columns));
  compute(sweep, patch.part(rows, patch.rows, 0, columns));
  pipeline_->send_to_before();
  compute(sweep, patch.part(rows, patch.rows, columns, patch.columns));
  pipeline_->exchange_with_after();
}

/// Rows of the grid.
void GaussSeidelSolver::compute(Sweeps sweeps, const Range& rows) {
  const Patch all = domain_.patch(array_.data());
  // Row 0 of `all` is beyond the halo's outermost row, or the grid's first.
  const std::int64_t row_0 = domain_.grid().owned(0).begin - (domain_.halo(0) - 1);
  sweeps.from_above = rows.begin > 0;
  sweeps.to_below = rows.end < domain_.grid().cells()[0];
  compute(sweeps, all.part(rows.begin - row_0, rows.end - row_0, 0, all.columns));
}

void GaussSeidelSolver::flight_of_sweeps(Sweeps sweeps) {
  std::int64_t top = computed_.begin;
  pipeline_->receive_from_before();
  if (domain_.up() != MPI_PROC_NULL) {
    // What the rank before me waits for comes first: its own rows.
    top += first_rows_in_flight(computed_, domain_.grid().owned(0), sweeps.count);
    compute(sweeps, Range{computed_.begin, top});
  }
  pipeline_->send_to_before();
  compute(sweeps, Range{top, computed_.end});
  pipeline_->exchange_with_after();
}

std::vector<double> GaussSeidelSolver::sweeps(std::int64_t, int count, bool residuum) {
  std::vector<double> changes(static_cast<std::size_t>(count));
  const Sweeps work{.count = count, .changes = residuum ? changes.data() : nullptr};
  settings_.halo_depth == 1 ? one_sweep(work) : flight_of_sweeps(work);
  laps_.lap(count);
  return changes;
}

/// Rank 0 is the first to begin a sweep and so decides which one is the last. It learns some sweeps
/// late that sweep k* was good enough, and ends the pipeline at its own current sweep.
void GaussSeidelSolver::to_accuracy(Outcome& outcome) {
  const int ahead = horizon(domain_.grid(), settings_);
  auto reduction = make_max_reduction(active_, settings_.reduction, ahead);
  StopSignal signal(active_, domain_);
  const bool root = this->root();
  Forecast forecast(settings_.accuracy, before_);  // rank 0 knows the residuum of sweeps long done
  std::int64_t converged = 0;                      // k*, 0 while unknown
  const auto collect = [&] {
    while (const auto maximum = reduction->next()) {
      if (!root) continue;
      forecast.add(*maximum);
      if (converged == 0 && *maximum < settings_.accuracy) converged = forecast.known();
    }
  };

  const int n = settings_.halo_depth;
  std::int64_t k = before_;
  for (;;) {
    {
      const Stopwatch stopwatch(phases_.reduce);
      collect();
      if (root)
        wait_until("partdiff: residuum of a sweep long done", [&] {
          collect();
          return converged > 0 || k + n - forecast.known() <= ahead;
        });
      const bool copy = root && converged == 0 && forecast.may_end(k + 2 * n);
      const std::int64_t word = signal.pass_on(copy ? copy_first : converged);
      if (word == copy_first && snapshots_) snapshots_->take(k, array_.data());
      if (word > 0) converged = word;
    }
    if (converged > 0) break;
    const std::vector<double> changes = sweeps(k, n, true);
    {
      const Stopwatch stopwatch(phases_.reduce);
      for (const double change : changes) reduction->contribute(change);
    }
    k += n;
    if (root && settings_.progress)
      settings_.progress(k, forecast.known() > before_
                                ? std::optional(forecast.residuum(forecast.known()))
                                : std::nullopt);
    if (!kept_.due(k)) continue;
    // A state is kept when it is known not to be the last, nor behind the last.
    reduction->complete();
    collect();
    HALOCLINE_MPI(MPI_Bcast, &converged, 1, MPI_INT64_T, 0, active_);
    reduction = make_max_reduction(active_, settings_.reduction, ahead);
    if (converged == 0 && !kept_.save(k, array_.data())) return;
  }
  reduction->complete();
  collect();

  outcome.iterations = k;
  if (snapshots_ && converged < k) {
    return_to(converged);
    outcome.iterations = converged;
  }
  if (root) outcome.residuum = forecast.residuum(outcome.iterations);
}

}  // namespace

std::int64_t least_rows_in_flight() {
  return 3 * rows_taken_over;
}

std::unique_ptr<Solver> make_pipelined_gauss_seidel_solver(MPI_Comm comm, const Problem& problem,
                                                           const Settings& settings) {
  return std::make_unique<GaussSeidelSolver>(
      Grid(comm, cells(problem), gauss_seidel_options(mpi::size(comm), settings)), problem,
      settings);
}

}  // namespace partdiff
