// Gauss-Seidel: the lexicographic order, pipelined. A rank starts a sweep when the last row of its
// predecessor (this sweep) and the first row of its successor (the sweep before) are there, so that
// rank r works on sweep k while rank 0 is r sweeps ahead.
//
// With several sweeps in flight a rank leaves its last rows as they are when the sweeps have
// passed: each row has had one sweep fewer than the one above. Its successor takes these rows over,
// completes them, and gives them back before it goes on, so that rank r is r blocks of sweeps
// behind rank 0.

#include "gauss_seidel_kernel.hpp"
#include "need.hpp"
#include "pipeline.hpp"
#include "snapshots.hpp"
#include "solver.hpp"
#include "stop_signal.hpp"
#include "sweeps.hpp"

#include <halocline/wait.hpp>

#include <algorithm>

namespace partdiff {

using namespace halocline;

namespace {

/// Rows that a rank takes over: those with sweeps in flight, the complete one above, and what makes
/// the number of rows before them a multiple of what the kernel wants.
constexpr int rows_taken_over = widest + band_rows;

/// Instead of the signal to go on: the sweep may be the last that is wanted, so copy what it
/// changes.
constexpr std::int64_t copy_first = -1;

Grid make_grid(MPI_Comm comm, const Problem& problem, const Settings& settings) {
  const std::int64_t cells = problem.intervals() - 1;
  GridOptions options;
  options.corners = false;
  options.decomposition = settings.decomposition;
  if (settings.halo_depth > 1) {
    // Only with ranks in one column; blocks are that, too, if there are few of them.
    options.decomposition = Decomposition::rows;
    if (mpi::size(comm) > 1) options.halos = {HaloWidth(rows_taken_over, 1), HaloWidth(1)};
  }
  return Grid(comm, {cells, cells}, options);
}

class GaussSeidelSolver final : public Solver {
 public:
  GaussSeidelSolver(MPI_Comm comm, const Problem& problem, const Settings& settings)
      : settings_(settings),
        domain_(problem, make_grid(comm, problem, settings)),
        active_(mpi::Comm::split(comm, domain_.idle() ? MPI_UNDEFINED : 0)) {
    const int ranks = domain_.grid().dims()[0] * domain_.grid().dims()[1];
    // The last rank is about as many blocks of sweeps behind as there are ranks before it.
    horizon_ = std::max(16, 4 * ranks * settings_.halo_depth);
    // A rank that knows every maximum at once does not overshoot.
    const bool at_once = ranks == 1 || settings_.reduction == ReductionKind::allreduce;
    const bool returns =
        settings_.to_accuracy() && settings_.exact && (settings_.halo_depth > 1 || !at_once);
    const std::size_t elements = domain_.grid().elements();
    check_memory(comm, (returns ? 3.0 : 1.0) * sizeof(double) * static_cast<double>(elements),
                 "partdiff");
    array_ = Array<double>(domain_.grid(), settings_.scheme);
    if (returns) snapshots_.emplace(elements, horizon_);
    if (!domain_.idle()) {
      const bool deep = settings_.halo_depth > 1 && ranks > 1;
      pipeline_.emplace(active_, domain_, array_, settings_.scheme, deep ? rows_taken_over : 0);
      pipeline_->measure(settings_.measure);
    }
  }

  Outcome solve() override;
  const Domain& domain() const override { return domain_; }
  const double* solution() const override { return array_.data(); }
  int halo_depth() const override { return settings_.halo_depth; }
  std::string note() const override { return array_.memory().note(); }

 private:
  void to_iterations(Outcome& outcome);
  void to_accuracy(Outcome& outcome);
  int count(std::int64_t most) const { return std::min(settings_.halo_depth, flight(most)); }
  std::vector<double> sweeps(int count, bool residuum);
  double sweep(bool residuum);
  void flight_of_sweeps(Sweeps sweeps);
  double compute(const Patch& patch, bool residuum);
  void compute(Sweeps sweeps, std::ptrdiff_t first, std::ptrdiff_t end);
  std::ptrdiff_t handover(int coordinate) const;

  Settings settings_;
  Domain domain_;
  mpi::Comm active_;  ///< the ranks that own points
  int horizon_ = 0;   ///< sweeps that rank 0 may be ahead of the newest known residuum
  Array<double> array_;
  std::optional<Snapshots> snapshots_;
  std::optional<Pipeline> pipeline_;
  Workspace workspace_;
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

/// The first row, of the grid, that the rank at this coordinate computes with sweeps in flight: one
/// that its predecessor owns, so that each rank's number of rows suits the kernel.
std::ptrdiff_t GaussSeidelSolver::handover(int coordinate) const {
  const Grid& grid = domain_.grid();
  std::ptrdiff_t first = 0;
  for (int c = 0; c < coordinate; ++c)
    first += (grid.owned_by(0, c).end - 1 - first) / band_rows * band_rows;
  return coordinate == grid.dims()[0] ? grid.cells()[0] : first;
}

/// Rows [first, end) of the grid.
void GaussSeidelSolver::compute(Sweeps sweeps, std::ptrdiff_t first, std::ptrdiff_t end) {
  const Stopwatch stopwatch(phases_.compute);
  const Patch all = domain_.patch(array_.data());
  // Row 0 of `all` is beyond the halo's outermost row, or the grid's first.
  const std::ptrdiff_t row_0 = domain_.grid().owned(0).begin - (domain_.halo(0) - 1);
  sweeps.patch = all.part(first - row_0, end - row_0, 0, all.columns);
  sweeps.counted = {0, sweeps.patch.rows, 0, sweeps.patch.columns};
  sweeps.from_above = first > 0;
  sweeps.to_below = end < domain_.grid().cells()[0];
  gauss_seidel_sweeps(sweeps, sweeps.patch.worthwhile(settings_.threads), workspace_);
}

void GaussSeidelSolver::flight_of_sweeps(Sweeps sweeps) {
  const Range owned = domain_.grid().owned(0);
  const int mine = domain_.grid().coordinates()[0];
  std::ptrdiff_t first = handover(mine);
  pipeline_->receive_from_before();
  if (mine > 0) {
    // What the rank before me waits for comes first: its own rows.
    const std::ptrdiff_t rows = owned.begin - first + sweeps.count - 1;
    const std::ptrdiff_t top = first + (rows + band_rows - 1) / band_rows * band_rows;
    compute(sweeps, first, top);
    first = top;
  }
  pipeline_->send_to_before();
  compute(sweeps, first, handover(mine + 1));
  pipeline_->exchange_with_after();
}

/// Returns the largest changes of the points that I compute.
std::vector<double> GaussSeidelSolver::sweeps(int count, bool residuum) {
  std::vector<double> changes(static_cast<std::size_t>(count));
  if (settings_.halo_depth == 1)
    changes[0] = sweep(residuum);
  else
    flight_of_sweeps({.count = count, .changes = residuum ? changes.data() : nullptr});
  laps_.lap(count);
  return changes;
}

void GaussSeidelSolver::to_iterations(Outcome& outcome) {
  for (std::int64_t k = 0; k < settings_.iterations;) {
    const int n = count(settings_.iterations - k);
    k += n;
    outcome.residuum = sweeps(n, k == settings_.iterations).back();
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
  Forecast forecast(settings_.accuracy);  // rank 0 knows the residuum of sweeps long done
  std::int64_t converged = 0;             // k*, 0 while unknown
  const auto collect = [&] {
    while (const auto maximum = reduction->next()) {
      if (!root) continue;
      forecast.add(*maximum);
      if (converged == 0 && *maximum < settings_.accuracy) converged = forecast.known();
    }
  };

  const int n = settings_.halo_depth;
  std::int64_t k = 0;
  for (;; k += n) {
    {
      const Stopwatch stopwatch(phases_.reduce);
      collect();
      if (root)
        wait_until("partdiff: residuum of a sweep long done", [&] {
          collect();
          return converged > 0 || k + n - forecast.known() <= horizon_;
        });
      const bool copy = root && converged == 0 && forecast.may_end(k + 2 * n);
      const std::int64_t word = signal.pass_on(copy ? copy_first : converged);
      if (word == copy_first && snapshots_) snapshots_->take(k, array_.data());
      if (word > 0) converged = word;
    }
    if (converged > 0) break;
    const std::vector<double> changes = sweeps(n, true);
    {
      const Stopwatch stopwatch(phases_.reduce);
      for (const double change : changes) reduction->contribute(change);
    }
    if (root && settings_.progress)
      settings_.progress(k + n, forecast.known() > 0
                                    ? std::optional(forecast.residuum(forecast.known()))
                                    : std::nullopt);
  }
  reduction->complete();
  collect();

  outcome.iterations = k;
  if (snapshots_ && converged < k) {
    const auto copy = snapshots_->restore(converged, array_.data());
    if (!copy) domain_.initialise(array_.data());
    std::int64_t again = copy.value_or(0);
    // With access=direct a neighbour's array is read in place: it must be restored first.
    assemble(active_);
    while (again < converged) {
      const int left = count(converged - again);
      sweeps(left, false);
      again += left;
    }
    outcome.iterations = converged;
  }
  if (root) outcome.residuum = forecast.residuum(outcome.iterations);
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

std::int64_t least_rows_in_flight() {
  return 3 * rows_taken_over;
}

std::unique_ptr<Solver> make_pipelined_gauss_seidel_solver(MPI_Comm comm, const Problem& problem,
                                                           const Settings& settings) {
  return std::make_unique<GaussSeidelSolver>(comm, problem, settings);
}

}  // namespace partdiff
