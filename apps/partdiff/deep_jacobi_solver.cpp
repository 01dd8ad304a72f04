// Jacobi with several sweeps between exchanges: the halos are as deep, and the sweeps in flight
// together run over one array, halos included. What they compute in the halo is right in fewer rows
// with every sweep; by the time of the next exchange it has just not reached my own points.

#include "cuts.hpp"
#include "in_place_solver.hpp"

#include <machine/lap.hpp>

#include <algorithm>
#include <optional>

namespace partdiff {

using namespace halocline;

namespace {

class DeepJacobiSolver final : public InPlaceSolver {
 public:
  DeepJacobiSolver(MPI_Comm comm, const Problem& problem, const Settings& settings)
      // A reduction that overlaps work is a whole block of sweeps late.
      : InPlaceSolver(problem, settings,
                      Grid(comm, cells(problem), deep_jacobi_options(mpi::size(comm), settings)),
                      settings.to_accuracy() ? 2 * settings.halo_depth : 0),
        exchange_(this->comm(), domain_.grid().halo(), array_, settings.scheme) {
    exchange_.measure(settings.measure);
    if (machine::chooses_in_laps(settings.scheme))
      section_.emplace(this->comm(), std::initializer_list{&exchange_});
  }

  std::vector<std::string> schemes() const override {
    return {machine::scheme_of(section_, exchange_.scheme())};
  }
  std::optional<Section::Findings> findings() const override { return machine::findings(section_); }

 private:
  MPI_Comm comm() const override { return domain_.grid().comm(); }
  int together(std::int64_t most) const override {
    return static_cast<int>(std::min<std::int64_t>(settings_.halo_depth, most));
  }
  std::vector<double> sweeps(std::int64_t done, int count, bool residuum) override;
  void to_accuracy(Outcome& outcome) override;
  void reset_times() override { exchange_.reset_times(); }
  ExchangeTimes times() const override { return exchange_.times(); }

  Exchange exchange_;
  std::optional<Section> section_;  ///< where the scheme is chosen in sweeps
};

std::vector<double> DeepJacobiSolver::sweeps(std::int64_t done, int count, bool residuum) {
  std::vector<double> changes(residuum ? static_cast<std::size_t>(count) : 0);
  // The initial halos are right without an exchange.
  std::optional<machine::Lap> lap;
  if (done > 0) {
    lap.emplace(section_, count);
    exchange_.run();
  }
  if (!domain_.idle()) {
    const ComputingStopwatch stopwatch(phases_.compute, "sweeps");
    const Patch all = domain_.patch(array_.data());
    // My own points, and the halo where a neighbour is.
    const std::ptrdiff_t r = domain_.halo(0) - 1, c = domain_.halo(1) - 1;
    const auto depth = [](int peer, std::ptrdiff_t halo) {
      return peer == MPI_PROC_NULL ? 0 : halo;
    };
    const std::ptrdiff_t above = depth(domain_.up(), r), before = depth(domain_.left(), c);
    Sweeps work;
    work.patch = all.part(r - above, r + domain_.rows() + depth(domain_.down(), r), c - before,
                          c + domain_.columns() + depth(domain_.right(), c));
    work.count = count;
    work.changes = residuum ? changes.data() : nullptr;
    work.counted = {above, above + domain_.rows(), before, before + domain_.columns()};
    jacobi_sweeps(work, work.patch.worthwhile(settings_.threads), workspace_);
  }
  laps_.lap(count);
  return changes;
}

void DeepJacobiSolver::to_accuracy(Outcome& outcome) {
  const int depth = settings_.halo_depth;
  const auto reduction = make_max_reduction(comm(), settings_.reduction, 2 * depth);
  const int late = reduction->lag() > 0 ? depth : 0;
  Forecast forecast(settings_.accuracy, before_);
  std::int64_t k = before_, converged = 0;
  for (bool goes_on = true; converged == 0 && goes_on;) {
    if (forecast.may_end(k + 2 * depth)) snapshots_->take(k, array_.data());
    const std::vector<double> changes = sweeps(k, depth, true);
    k += depth;
    // A state is kept when it is known not to be the last, nor behind the last.
    const bool keeps = kept_.due(k);
    {
      const Stopwatch stopwatch(phases_.reduce);
      for (const double change : changes) reduction->contribute(change);
      while (converged == 0 && forecast.known() < k - (keeps ? 0 : late)) {
        outcome.residuum = reduction->everywhere();
        forecast.add(outcome.residuum);
        if (outcome.residuum < settings_.accuracy) converged = forecast.known();
      }
    }
    if (root() && settings_.progress) settings_.progress(forecast.known(), outcome.residuum);
    if (keeps && converged == 0) goes_on = kept_.save(k, array_.data());
  }
  reduction->complete();
  if (converged == 0) return;
  if (converged < k) return_to(converged);
  outcome.iterations = converged;
}

}  // namespace

std::unique_ptr<Solver> make_deep_jacobi_solver(MPI_Comm comm, const Problem& problem,
                                                const Settings& settings) {
  return std::make_unique<DeepJacobiSolver>(comm, problem, settings);
}

}  // namespace partdiff
