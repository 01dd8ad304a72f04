// Synchronous iterations, in the terms of a Run.

#include "sync_run.hpp"

#include "device_solver.hpp"
#include "solver.hpp"

namespace laplace {

using namespace halocline;

Settings settings_of(const Config& config, int rank) {
  Settings settings;
  settings.scheme = config.scheme;
  settings.dims = config.dims;
  settings.depth = config.depth;
  settings.check_every = config.check_every;
  settings.tolerance = config.tolerance;
  settings.max_iterations = config.max_iterations;
  settings.threads = config.threads;
  settings.style = config.style;
  // Threads in step all take as long as the slowest.
  settings.slow = config.model == Model::threads ? config.slow_factor : config.slow(rank);
  settings.measure = config.measure;
  settings.progress = config.progress;
  settings.checkpoints = config.checkpoints;
  return settings;
}

namespace {

template <class Solver>
class SyncRun final : public Run {
 public:
  template <class... More>
  SyncRun(MPI_Comm comm, const Config& config, More... more)
      : solver_(comm, config.problem, settings_of(config, mpi::rank(comm)), more...) {}

  Report solve() override {
    const Outcome outcome = solver_.solve();
    Report report;
    report.converged = outcome.converged;
    report.residual = outcome.residual;
    report.seconds = outcome.seconds;
    report.workers = {{outcome.iterations}};
    for (const Check& check : outcome.history)
      report.convergence.push_back({check.seconds, check.residual});
    report.times = {outcome.phases.compute,           outcome.phases.exchange.pack,
                    outcome.phases.exchange.transfer, outcome.phases.exchange.wait,
                    outcome.phases.residual,          outcome.phases.exchange.copy};
    if constexpr (requires { solver_.use(); }) report.device = solver_.use();
    return report;
  }

  std::vector<Part> parts() const override { return solver_.domain().parts(solver_.solution()); }
  Extent extent() const override { return solver_.domain().extent(); }
  std::string scheme() const override { return solver_.scheme(); }
  std::string style() const override {
    if constexpr (requires { solver_.style(); }) return solver_.style();
    return {};
  }
  std::optional<Section::Findings> findings() const override {
    if constexpr (requires { solver_.findings(); }) return solver_.findings();
    return {};
  }
  std::vector<int> dims() const override { return solver_.domain().grid().dims(); }
  std::string note() const override { return solver_.note(); }

 private:
  Solver solver_;
};

}  // namespace

std::unique_ptr<Run> make_sync_run(MPI_Comm comm, const Config& config) {
  if (config.device) return std::make_unique<SyncRun<DeviceSolver>>(comm, config, *config.device);
  return std::make_unique<SyncRun<SyncSolver>>(comm, config);
}

}  // namespace laplace
