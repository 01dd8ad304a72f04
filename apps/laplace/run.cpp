#include "run.hpp"

#include "grid_system.hpp"
#include "matrix_system.hpp"
#include "rank_run.hpp"
#include "sync_run.hpp"
#include "thread_run.hpp"

#include <numerics/following.hpp>

#include <halocline/wait.hpp>
#include <machine/memory.hpp>

#include <cstdio>

namespace laplace {

AsyncSettings Config::asynchronous(int worker) const {
  AsyncSettings settings;
  settings.tolerance = tolerance;
  settings.max_iterations = max_iterations;
  settings.halo_period = halo_period;
  settings.confirm = confirm;
  settings.slow = slow(worker);
  settings.crowded =
      model == Model::threads ? threads > numerics::cpus : halocline::Patience::current().yield;
  settings.first = worker == 0;
  settings.timeout = timeout;
  settings.progress = progress;
  return settings;
}

Report report_of(AsyncOutcome&& first) {
  Report report;
  report.converged = first.converged;
  report.residual = first.residual;
  report.seconds = first.seconds;
  report.convergence = std::move(first.convergence);
  report.synchronous = first.synchronous;
  report.phases = first.phases;
  report.halo_period = first.halo_period;
  report.times = {first.computing, 0, first.seconds - first.computing, 0, 0};
  return report;
}

namespace {

using namespace halocline;

Share share_of_rank(MPI_Comm comm, const Config& config) {
  GridOptions options;
  options.corners = false;
  options.dims = config.dims;
  const Grid grid(comm, config.problem.cells(), options);
  machine::check_memory(comm, 2.0 * sizeof(double) * static_cast<double>(grid.elements()),
                        "laplace");
  return {std::make_unique<GridSystem>(config.problem, grid), grid.dims(),
          extent_of(config.problem)};
}

Cut slabs(const Problem& problem) {
  return [problem](int worker, int workers) -> Share {
    return {std::make_unique<GridSystem>(problem, worker, workers),
            {workers, 1, 1},
            extent_of(problem)};
  };
}

/// The matrix and b, once it is certain enough that the iterations converge.
struct Equations {
  Matrix matrix;
  std::vector<double> right_side;
};

Equations read_equations(const Config& config) {
  Equations all;
  all.matrix = read_matrix(config.matrix);
  all.right_side = config.right_side.empty() ? row_sums(all.matrix)
                                             : read_vector(config.right_side, all.matrix.rows);
  if (config.force) return all;
  const SpectralRadius radius = spectral_radius(all.matrix);
  if (radius.converges()) return all;
  char estimate[32];
  std::snprintf(estimate, sizeof estimate, "%.6g", radius.estimate);
  throw Error(config.matrix + ": the spectral radius of |M|, M = -D^-1 (L + U), is about " +
              estimate +
              (config.mode == Mode::sync
                   ? ", and where it is not below 1 Jacobi's method need not converge"
                   : ", and only where it is below 1 asynchronous iterations always converge") +
              "; --force iterates nevertheless");
}

std::unique_ptr<Run> make_matrix_run(MPI_Comm comm, const Config& config) {
  Equations equations;
  mpi::together(comm, [&] {
    if (mpi::rank(comm) == 0) equations = read_equations(config);
  });
  if (config.model != Model::threads) {
    Rows rows = scatter_rows(comm, equations.matrix, equations.right_side);
    const Extent extent{1, 1, rows.all};
    return make_rank_run(
        comm, config,
        {std::make_unique<MatrixSystem>(std::move(rows)), {1, 1, mpi::size(comm)}, extent});
  }
  const std::int64_t rows = equations.matrix.rows;
  const auto shared = std::make_shared<Equations>(std::move(equations));
  const Cut cut = [shared](int worker, int workers) -> Share {
    return {std::make_unique<MatrixSystem>(
                rows_of(shared->matrix, shared->right_side, worker, workers)),
            {1, 1, workers},
            Extent{1, 1, shared->matrix.rows}};
  };
  return make_thread_run(config, cut, rows);
}

}  // namespace

std::unique_ptr<Run> make_run(MPI_Comm comm, const Config& config) {
  if (!config.matrix.empty()) return make_matrix_run(comm, config);
  if (config.mode == Mode::sync) return make_sync_run(comm, config);
  if (config.model == Model::threads) {
    double points = 1;
    for (const std::int64_t cells : config.problem.cells())
      points *= static_cast<double>(cells + 2);
    machine::check_memory(2.0 * sizeof(double) * points, "laplace");
    return make_thread_run(config, slabs(config.problem), config.problem.z);
  }
  return make_rank_run(comm, config, share_of_rank(comm, config));
}

}  // namespace laplace
