// laplace: Laplace's equation on the unit cube by Jacobi's method, in step or asynchronously,
// through any means of communication.

#include "options.hpp"
#include "output.hpp"
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

using namespace laplace;
using namespace halocline;

bool is_root() {
  return mpi::rank(world()) == 0;
}

/// One line on stderr, once a second.
auto progress_line() {
  return [due = stopwatch::EverySecond()](std::int64_t iteration, double residual) mutable {
    if (due())
      std::fprintf(stderr, "laplace: iteration %lld, residual %e\n",
                   static_cast<long long>(iteration), residual);
  };
}

void solve(const Options& options, result::Run record) {
  const Config& config = options.config;
  const bool recorded = !options.json.empty();
  std::unique_ptr<Run> run;
  Report report;
  for (int repetition = 0; repetition < options.repetitions; ++repetition) {
    // Made anew, so that the messages counted are those of one solution.
    run.reset();
    run = make_run(world(), config);
    if (repetition == 0 && is_root() && !run->note().empty())
      std::cerr << "laplace: " << run->note() << '\n';
    if (repetition == 0 && recorded) record.distances.take(world());
    report = run->solve();
    record.totals.push_back(report.seconds);
    record.steps.emplace_back();
  }
  if (recorded) record.distances.take(world());
  const auto workers = gather_workers(world(), report);
  if (is_root()) std::cout << text(config, *run, report, workers) << std::flush;

  Solution solution{run->extent(), run->parts(), config.tolerance, report.residual};
  if (config.matrix.empty()) solution.problem = config.problem;
  if (!options.output.empty()) write_solution(world(), solution, options.output);
  if (!options.image.empty()) write_slice(world(), solution, options.image);
  if (recorded) {
    record.scheme = run->scheme();
    record.threads = config.threads;
    record.phases = report.times;
    // The bytes are the same for all schemes only in step.
    const std::string sum = checksum(world(), solution);
    if (is_root()) {
      record.parameters = parameters(config, *run);
      record.outcome = outcome(config, report, workers);
      if (config.mode == Mode::sync) record.outcome["checksum"] = sum;
    }
    result::write(world(), record, options.json);
  }
}

int run(int argc, char** argv) {
  Options options;
  try {
    options = parse(argc, argv, mpi::size(world()));
    if (!options.output.empty()) check_output(options.output);
  } catch (const Error& problem) {
    // All ranks see the same words; one speaks.
    if (is_root()) std::cerr << usage() << "\nlaplace: " << problem.what() << '\n';
    return EXIT_FAILURE;
  }
  Config& config = options.config;
  Patience::current().timeout = std::chrono::duration<double>(config.timeout);
  Tuning::current().file = options.tuning;
  // Threads that compute need the cores that waiting ranks would hold.
  if (config.threads > 1) Patience::current().yield = true;
  if (options.progress) config.progress = progress_line();

  switch (options.wish) {
    case Options::Wish::usage:
      if (is_root()) std::cout << usage();
      break;
    case Options::Wish::list_schemes:
      if (is_root())
        std::cout << scheme_list(options.all_schemes, config.mode == Mode::sync
                                                          ? std::vector<std::string>{}
                                                          : async_schemes());
      break;
    case Options::Wish::solve: {
      result::Run record;
      record.program = "laplace";
      record.arguments.assign(argv + 1, argv + argc);
      // Before there is memory: what a thread touches first is near it.
      record.pinning = pinning::place_threads(world(), config.threads, options.pin, "laplace");
      solve(options, std::move(record));
    }
  }
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  return guarded_main(argc, argv, "laplace", run);
}
