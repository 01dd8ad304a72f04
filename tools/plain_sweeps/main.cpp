// plain_sweeps: the yardstick for the kernels of partdiff and laplace. The same problems, the same
// operations in the same order, the same bits, from loops without any blocking; and what memory
// gives a stream.

#include "cube.hpp"
#include "seconds.hpp"
#include "sweeps.hpp"

#include <CLI/CLI.hpp>
#include <frame/checksum.hpp>
#include <frame/record.hpp>
#include <frame/refusal.hpp>
#include <machine/memory.hpp>
#include <machine/pinning.hpp>
#include <machine/stream.hpp>
#include <numerics/point_checksum.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <utility>

namespace {

using namespace plain_sweeps;
using halocline::Error;
using partdiff::Function;
using partdiff::Problem;

struct Options {
  std::string method = "jacobi";
  std::int64_t points = 1033, sweeps = 10;
  int function = 1, threads = 1, repetitions = 1;
  std::string json;
};

/// Declares the options; `app` refers to `options`.
void declare(CLI::App& app, Options& options) {
  app.add_option("--method", options.method, "jacobi, gauss-seidel, laplace or stream")
      ->check(CLI::IsMember({"jacobi", "gauss-seidel", "laplace", "stream"}))
      ->capture_default_str();
  app.add_option("--points", options.points,
                 "points a side; laplace: inside the cube; stream: doubles in an array, squared")
      ->check(CLI::Range(9, 800'009))
      ->capture_default_str();
  app.add_option("--sweeps", options.sweeps, "sweeps of a repetition; stream: passes")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--function", options.function, "1: f = 0; 2: sines")
      ->check(CLI::Range(1, 2))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "OpenMP threads")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--repetitions", options.repetitions, "how often to measure")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--json", options.json, "write times and result to this file");
}

void check(const Options& options) {
  if (options.method == "laplace") {
    if (options.points > 100'000)
      throw Error("--points " + std::to_string(options.points) +
                  ": a cube can have 100000 points a side at most");
    if (options.function != 1)
      throw Error("--function " + std::to_string(options.function) +
                  ": laplace has no source term");
    return;
  }
  if (options.method != "stream" && options.points % 8 != 1)
    throw Error("--points " + std::to_string(options.points) +
                ": partdiff's grids have 8 * interlines + 9 points a side");
  if (options.method == "gauss-seidel" && options.threads > 1)
    throw Error("--threads " + std::to_string(options.threads) +
                ": the plain Gauss-Seidel loop is serial; only jacobi and stream have threads");
}

std::string checksum(const double* points, std::int64_t count) {
  std::uint64_t sum = 0;
  for (std::int64_t index = 0; index < count; ++index)
    sum += numerics::point_checksum(index, points[index]);
  return frame::checksum(halocline::world(), sum);
}

/// What sweeps that updated so many points reached.
void tell(const Options& options, std::int64_t updates, const std::string& checksum,
          frame::Record& run) {
  nlohmann::ordered_json rates;
  for (const double seconds : run.totals) {
    rates.push_back(static_cast<double>(updates) / seconds / 1e6);
    std::printf("%s: %.6f s, %.1f MLUP/s\n", options.method.c_str(), seconds,
                rates.back().get<double>());
  }
  run.outcome = {{"iterations", options.sweeps}, {"checksum", checksum}, {"mlups", rates}};
}

void check_memory(int arrays, double doubles) {
  machine::check_memory(arrays * sizeof(double) * doubles, "plain_sweeps");
}

void measure_cube(const Options& options, frame::Record& run) {
  const std::int64_t n = options.points;
  const laplace::Problem problem{.x = n, .y = n, .z = n};
  check_memory(2, std::pow(n + 2, 3));
  Points current = allocate(problem), other = allocate(problem);
  for (int repetition = 0; repetition < options.repetitions; ++repetition) {
    for (double* const points : {current.get(), other.get()})
      initialise(problem, points, options.threads);
    run.totals.push_back(seconds_of([&] {
      for (std::int64_t k = 0; k < options.sweeps; ++k) {
        jacobi(problem, current.get(), other.get(), options.threads);
        std::swap(current, other);
      }
    }));
  }
  tell(options, n * n * n * options.sweeps, checksum(current.get(), (n + 2) * (n + 2) * (n + 2)),
       run);
}

void measure_sweeps(const Options& options, frame::Record& run) {
  const Problem problem((options.points - 9) / 8, static_cast<Function>(options.function));
  const std::int64_t n = problem.points();
  const Source source(problem);
  const bool in_place = options.method == "gauss-seidel";
  check_memory(in_place ? 1 : 2, std::pow(n, 2));
  Points current = allocate(problem), other = in_place ? nullptr : allocate(problem);
  for (int repetition = 0; repetition < options.repetitions; ++repetition) {
    initialise(problem, current.get(), options.threads);
    if (!in_place) initialise(problem, other.get(), options.threads);
    run.totals.push_back(seconds_of([&] {
      for (std::int64_t k = 0; k < options.sweeps; ++k) {
        if (in_place) {
          gauss_seidel(current.get(), n, source);
        } else {
          jacobi(current.get(), other.get(), n, source, options.threads);
          std::swap(current, other);
        }
      }
    }));
  }
  tell(options, (n - 2) * (n - 2) * options.sweeps, checksum(current.get(), n * n), run);
}

void measure_stream(const Options& options, frame::Record& run) {
  const auto elements = static_cast<std::size_t>(options.points * options.points);
  check_memory(3, static_cast<double>(elements));
  machine::StreamArrays arrays(elements, options.threads);
  const auto passes = [&](void (machine::StreamArrays::*pass)()) {
    return seconds_of([&] {
      for (std::int64_t i = 0; i < options.sweeps; ++i) (arrays.*pass)();
    });
  };
  const double gigas = 1e-9 * static_cast<double>(elements) * static_cast<double>(options.sweeps);
  nlohmann::ordered_json copy, triad;
  for (int repetition = 0; repetition < options.repetitions; ++repetition) {
    const double copying = passes(&machine::StreamArrays::copy);
    const double adding = passes(&machine::StreamArrays::triad);
    run.totals.push_back(copying + adding);
    copy.push_back(16 * gigas / copying);
    triad.push_back(24 * gigas / adding);
    std::printf("stream: copy %.2f GB/s, triad %.2f GB/s\n", copy.back().get<double>(),
                triad.back().get<double>());
  }
  run.outcome = {{"iterations", options.sweeps}, {"copy_gb_s", copy}, {"triad_gb_s", triad}};
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app("Plain sweeps over the problems of partdiff and laplace, to compare with.");
  declare(app, options);
  try {
    app.parse(argc, argv);
    check(options);
    frame::check_save(halocline::world(), options.json);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return EXIT_SUCCESS;
  } catch (const std::exception& problem) {
    std::cerr << frame::refusal("plain_sweeps", problem.what()) << '\n';
    return EXIT_FAILURE;
  }
  if (halocline::mpi::size(halocline::world()) > 1)
    throw Error("it is no parallel program: start it on one rank");

  frame::Record record;
  record.program = "plain_sweeps";
  record.arguments.assign(argv + 1, argv + argc);
  record.scheme = "none";
  record.threads = options.threads;
  // As partdiff does, and before there is memory.
  record.pinning = machine::place_threads(halocline::world(), options.threads,
                                          machine::Pin::automatic, "plain_sweeps");
  record.parameters = {{"method", options.method},
                       {"points", options.points},
                       {"function", options.function},
                       {"sweeps", options.sweeps},
                       {"repetitions", options.repetitions}};
  if (options.method == "stream")
    measure_stream(options, record);
  else if (options.method == "laplace")
    measure_cube(options, record);
  else
    measure_sweeps(options, record);
  if (!options.json.empty()) frame::write(halocline::world(), record, options.json);
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  return halocline::guarded_main(argc, argv, "plain_sweeps", run);
}
