// partdiff: the Poisson equation by Jacobi or Gauss-Seidel, on any number of ranks and threads and
// through any communication scheme, with the result of the serial algorithm.

#include "checksum.hpp"
#include "image.hpp"
#include "npy.hpp"
#include "options.hpp"
#include "text.hpp"

#include <result.hpp>
#include <scheme_list.hpp>
#include <stopwatch.hpp>

#include <halocline/tuner.hpp>
#include <halocline/wait.hpp>

#include <cstdio>
#include <cstdlib>
#include <iostream>

namespace {

using namespace partdiff;
using namespace halocline;

bool is_root() {
  return mpi::rank(world()) == 0;
}

/// One line on stderr, once a second.
auto progress_line() {
  return
      [due = stopwatch::EverySecond()](std::int64_t sweep, std::optional<double> residuum) mutable {
        if (!due()) return;
        if (residuum)
          std::fprintf(stderr, "partdiff: sweep %lld, residuum %e\n", static_cast<long long>(sweep),
                       *residuum);
        else
          std::fprintf(stderr, "partdiff: sweep %lld\n", static_cast<long long>(sweep));
      };
}

std::unique_ptr<Solver> make_solver(const Options& options) {
  const Problem problem(options.interlines, options.function);
  return options.method == Method::jacobi
             ? make_jacobi_solver(world(), problem, options.settings)
             : make_gauss_seidel_solver(world(), problem, options.settings);
}

double grid_bytes(const Solver& solver) {
  double bytes =
      static_cast<double>(solver.domain().grid().elements()) * sizeof(double) * solver.grids();
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, world());
  return bytes;
}

nlohmann::ordered_json parameters(const Options& options, const Solver& solver) {
  const Settings& settings = options.settings;
  return {{"method", options.method == Method::jacobi ? "jacobi" : "gauss-seidel"},
          {"interlines", options.interlines},
          {"function", static_cast<int>(options.function)},
          {"termination", settings.to_accuracy() ? "accuracy" : "iterations"},
          {"value", options.value},
          {"decomposition", settings.decomposition == Decomposition::rows ? "rows" : "blocks"},
          {"dims", solver.domain().grid().dims()},
          {"halo_depth", solver.halo_depth()},
          {"reduction", name(settings.reduction)},
          {"on_accuracy", settings.exact ? "exact" : "catch-up"},
          {"schemes", solver.schemes()},
          {"points", solver.domain().problem().points()},
          {"repetitions", options.repetitions}};
}

result::Phases flatten(const Phases& phases) {
  return {phases.compute, phases.exchange.pack, phases.exchange.transfer, phases.exchange.wait,
          phases.reduce};
}

void solve(const Options& options, result::Run run) {
  const auto solver = make_solver(options);
  if (is_root() && !solver->note().empty())
    std::cerr << "partdiff: " << options.settings.scheme.str() << ": " << solver->note() << '\n';

  const bool recorded = !options.json.empty();
  if (recorded) run.distances.take(world());
  Outcome outcome;
  double seconds = 0;
  for (int repetition = 0; repetition < options.repetitions; ++repetition) {
    seconds = 0;
    {
      const Stopwatch stopwatch(seconds);
      outcome = solver->solve();
    }
    run.totals.push_back(seconds);
    run.steps.push_back(std::move(outcome.steps));
    run.phases = flatten(outcome.phases);
  }
  if (recorded) run.distances.take(world());

  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, world());
  const std::string text =
      report(world(), solver->domain().problem(), options.method, options.settings,
             options.interlines, *solver, outcome, seconds, grid_bytes(*solver));
  if (is_root()) std::cout << text << std::flush;

  if (!options.output.empty()) write_npy(world(), *solver, options.output);
  if (!options.image.empty()) write_image(world(), *solver, options.image);
  if (recorded) {
    char sum[17];
    std::snprintf(sum, sizeof sum, "%016llx",
                  static_cast<unsigned long long>(checksum(world(), *solver)));
    run.scheme = options.settings.scheme.str();
    run.threads = options.settings.threads;
    run.parameters = parameters(options, *solver);
    run.outcome = {
        {"iterations", outcome.iterations}, {"residuum", outcome.residuum}, {"checksum", sum}};
    result::write(world(), run, options.json);
  }
}

int run(int argc, char** argv) {
  Options options;
  try {
    options = parse(argc, argv);
  } catch (const Error& problem) {
    // All ranks see the same words; one speaks.
    if (is_root()) std::cerr << usage() << "\npartdiff: " << problem.what() << '\n';
    return EXIT_FAILURE;
  }
  Patience::current().timeout = std::chrono::duration<double>(options.timeout);
  Tuning::current().file = options.tuning;
  // Threads that compute need the cores that waiting ranks would hold.
  if (options.settings.threads > 1) Patience::current().yield = true;
  if (options.progress) options.settings.progress = progress_line();

  switch (options.wish) {
    case Options::Wish::usage:
      if (is_root()) std::cout << usage();
      break;
    case Options::Wish::list_schemes:
      if (is_root()) std::cout << scheme_list(options.all_schemes);
      break;
    case Options::Wish::solve: {
      result::Run record;
      record.program = "partdiff";
      record.arguments.assign(argv + 1, argv + argc);
      // Before the solver has memory: what a thread touches first is near it.
      record.pinning =
          pinning::place_threads(world(), options.settings.threads, options.pin, "partdiff");
      solve(options, std::move(record));
    }
  }
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  return guarded_main(argc, argv, "partdiff", run);
}
