#include "options.hpp"

#include <frame/lists.hpp>
#include <frame/progress.hpp>
#include <frame/state_file.hpp>

#include <halocline/more/async_exchange.hpp>

namespace laplace {

using frame::only_with;
using frame::Value;
using halocline::Error;

namespace {

Mode mode_of(const std::string& text) {
  return Value{"--mode", text}.choose<Mode>(
      {{"sync", Mode::sync}, {"async", Mode::async}, {"racy", Mode::racy}});
}

std::array<std::int64_t, 3> extents(const std::string& option, const std::string& text) {
  return frame::three({option, text}, 100'000,
                      "three numbers of points from 1 to 100000, such as 64,64,32");
}

}  // namespace

void Options::declare(frame::CommandLine& line) {
  line.section("Problem");
  line.option("--grid X,Y,Z", "points inside the cube", grid_);
  line.option("--per-rank X,Y,Z",
              "points of each rank; the ranks' grid doubles in x, then y, then z (--model threads: "
              "of each thread, along z)",
              per_rank_);
  line.option("--matrix F.mtx",
              "A from a Matrix Market file (coordinate, real, general or symmetric), cut by rows; "
              "refused where the iterations need not converge, but for --force",
              config.matrix);
  line.option("--rhs F.mtx", "b from a Matrix Market file (A times a vector of ones)",
              config.right_side);
  line.flag("--force", "see --matrix", config.force);
  line.option("--circle R", "the source at the bottom is a disc of radius R (whole bottom)",
              [this](const Value& value) {
                config.problem.circle =
                    value.real("a radius above 0", [](double v) { return v > 0; });
              });
  line.option("--offset A", "added to the surface and to the start (0); 1 avoids exact zeros",
              [this](const Value& value) {
                config.problem.offset = value.real("a number", [](double) { return true; });
              });
  line.option("--tolerance T", "relative residual to reach (1e-4)", [this](const Value& value) {
    config.tolerance =
        value.real("a number above 0 and below 1", [](double v) { return v > 0 && v < 1; });
  });
  line.option(
      "--max-iterations N", "give up when a rank has done so many (10000000)",
      [this](const Value& value) { config.max_iterations = value.integer(0, 1'000'000'000); });

  line.section(frame::how);
  line.option("--mode M",
              "sync (default): in step, the same bits on any ranks, threads and scheme; async: "
              "nobody waits, and a halo is the newest that has arrived, complete; racy: nobody "
              "waits, and a halo is whatever has arrived",
              mode_);
  line.option("--model M", "mpi (default), shmem (OpenSHMEM) or threads (OpenMP, in one process)",
              [this](const Value& value) {
                config.model = value.choose<Model>(
                    {{"mpi", Model::mpi}, {"shmem", Model::shmem}, {"threads", Model::threads}});
              });
  line.option("--threads N", "threads of each rank (1)", [this](const Value& value) {
    config.threads = static_cast<int>(value.integer(1, 1024));
  });
  line.option("--depth K", "sync: sweeps between exchanges (auto)", depth_);
  line.option(
      "--device D",
      "sync: sweeps on a device, and how halos get there: mapped (both arrays there and back "
      "at every sweep), resident (the newest to the host and back), update (halos, row by "
      "row), packed (on the device, one copy each way), overlap (the same beside the inner "
      "sweep), aware (MPI is given the device's addresses)",
      [this](const Value& value) { config.device = machine::device_step("--device", value.text); });
  line.option("--check C",
              "sync: every=K, iterations between looks at the residual (100); async, racy: tree "
              "(default) or iallreduce, how it is summed up",
              check_);
  line.option("--buffers R", "async: messages of one link that may be under way (1)", buffers_);
  line.option("--halo-period N",
              "async, racy: iterations from one send to the next (8); auto measures", period_);
  line.option("--confirm C",
              "async, racy: on (default): where the true residual turns out to be above the "
              "tolerance, the iterations go on; off: they end",
              confirm_);
  line.option("--slow RANK:FACTOR", "this rank (or thread) computes so many times as long", slow_);
}

std::vector<halocline::SchemeFacts> Options::schemes() const {
  const Mode mode = mode_of(mode_);
  return mode == Mode::sync ? halocline::known_schemes()
                            : halocline::known_async_schemes(mode == Mode::racy);
}

void Options::take_grid(int ranks) {
  if (!config.matrix.empty()) {
    only_with(grid_.empty(), "--grid", "the grid; --matrix has its own size");
    only_with(per_rank_.empty(), "--per-rank", "the grid; --matrix has its own size");
    return;
  }
  only_with(config.right_side.empty(), "--rhs", "--matrix");
  only_with(!config.force, "--force", "--matrix");
  if (grid_.empty() == per_rank_.empty())
    throw Error("either --grid X,Y,Z or --per-rank X,Y,Z must say how many points there are");
  Problem& problem = config.problem;
  if (!grid_.empty()) {
    const auto [x, y, z] = extents("--grid", grid_);
    problem.x = x, problem.y = y, problem.z = z;
    return;
  }
  const auto [x, y, z] = extents("--per-rank", per_rank_);
  // Threads are slabs of planes, as in the study.
  const std::vector<int> dims =
      config.model == Model::threads ? std::vector<int>{config.threads, 1, 1} : growing_dims(ranks);
  if (config.model != Model::threads) config.dims = dims;
  problem.z = z * dims[0], problem.y = y * dims[1], problem.x = x * dims[2];
}

void Options::take_check() {
  const bool sync = config.mode == Mode::sync;
  if (check_.empty()) return;
  const std::string given = "--check " + check_;
  if (check_.starts_with("every=")) {
    only_with(sync, given, "--mode sync; asynchronous sums are tree or iallreduce");
    config.check_every = Value{"--check every=", check_.substr(6)}.integer(1, 1'000'000'000);
    return;
  }
  config.check = halocline::async_sum_kind(check_);
  only_with(!sync, given, "--mode async or racy; --mode sync looks every=K iterations");
  only_with(config.model != Model::threads, given,
            "ranks; the threads of one process have one way to sum up");
}

void Options::take_slow(int workers) {
  if (slow_.empty()) return;
  const std::size_t colon = slow_.find(':');
  if (colon == slow_.npos) throw Error("--slow " + slow_ + ": must be RANK:FACTOR, such as 0:3");
  config.slow_worker = static_cast<int>(
      Value{"--slow " + slow_ + ", RANK", slow_.substr(0, colon)}.integer(0, workers - 1));
  config.slow_factor = Value{"--slow " + slow_ + ", FACTOR", slow_.substr(colon + 1)}.real(
      "a number from 1 to 1000", [](double v) { return v >= 1 && v <= 1000; });
}

void Options::take_asynchronous() {
  const bool async = config.mode != Mode::sync, threads = config.model == Model::threads;
  constexpr const char* modes = "--mode async or racy";
  only_with(async || buffers_.empty(), "--buffers", modes);
  only_with(async || period_.empty(), "--halo-period", modes);
  only_with(async || confirm_.empty(), "--confirm", modes);
  only_with(!async || depth_.empty(), "--depth", "--mode sync");
  if (config.device) {
    only_with(!async, "--device", "--mode sync");
    only_with(config.matrix.empty(), "--device", "the grid, not --matrix");
    only_with(!threads, "--device", "--model mpi");
    only_with(config.threads == 1, "--threads", "the host's sweeps, not --device");
    only_with(slow_.empty(), "--slow", "the host's sweeps, not --device");
  }
  if (!buffers_.empty())
    config.buffers = static_cast<int>(Value{"--buffers", buffers_}.integer(1, 1024));
  only_with(!threads || config.buffers == 1, "--buffers " + buffers_,
            "ranks; threads have one mailbox for each neighbour");
  if (!period_.empty())
    config.halo_period =
        period_ == "auto" ? 0
                          : static_cast<int>(Value{"--halo-period", period_}.integer(1, 1'000'000));
  if (!confirm_.empty())
    config.confirm = Value{"--confirm", confirm_}.choose<bool>({{"on", true}, {"off", false}});
  if (!depth_.empty() && depth_ != "auto")
    config.depth = static_cast<int>(Value{"--depth", depth_}.integer(1, 1024));
}

void Options::take_scheme(const frame::Options& common) {
  const std::string given = "--scheme " + common.scheme.str();
  if (config.model == Model::threads) {
    only_with(!common.scheme_named, given,
              "ranks; --model threads has none, and modes sync, async and racy");
    return;
  }
  config.scheme = common.scheme;
  if (config.model != Model::shmem) return;
  if (!common.scheme_named) config.scheme = "shmem";
  only_with(config.scheme.part(0) == "shmem", given, "--model mpi");
}

void Options::settle(const frame::Options& common, int ranks) {
  config.mode = mode_of(mode_);
  const bool threads = config.model == Model::threads;
  if (threads && ranks > 1)
    throw Error("--model threads: runs in one process, but there are " + std::to_string(ranks) +
                " ranks; --threads says how many threads");
  only_with(threads || config.mode == Mode::sync || config.threads == 1,
            "--threads " + std::to_string(config.threads), "--mode sync or --model threads");
  take_grid(ranks);
  take_asynchronous();
  take_check();
  take_scheme(common);
  take_slow(threads ? config.threads : ranks);
  if (common.style) {
    const std::string given = "--style " + common.style->str();
    only_with(config.mode == Mode::sync, given, "--mode sync");
    only_with(config.model == Model::mpi, given, "--model mpi");
    only_with(config.matrix.empty(), given, "the grid, not --matrix");
    only_with(slow_.empty(), given, "ranks that are as fast as they can be, without --slow");
    only_with(!config.device, given, "the host's sweeps, not --device");
  }
  config.style = common.style;
  config.timeout = common.timeout;
  config.measure = common.recorded();
  if (common.progress) config.progress = frame::progress_line("laplace", "iteration", "residual");
}

nlohmann::ordered_json Options::problem() const {
  if (!config.matrix.empty()) {
    const auto content = [](const char* option, const std::string& file) {
      return file.empty() ? file : frame::content_of_file(world(), option, file);
    };
    return {{"matrix", content("--matrix", config.matrix)},
            {"rhs", content("--rhs", config.right_side)}};
  }
  const Problem& grid = config.problem;
  nlohmann::ordered_json problem{{"grid", {grid.x, grid.y, grid.z}}, {"offset", grid.offset}};
  problem["circle"] = grid.circle ? nlohmann::ordered_json(*grid.circle) : nlohmann::ordered_json();
  return problem;
}

std::string usage() {
  return R"(Usage: laplace --grid X,Y,Z | --per-rank X,Y,Z | --matrix F.mtx [options]

Laplace's equation on the unit cube, or any linear system A u = b, by Jacobi's method, until
|b - A u| / |b| is within a tolerance.

Example: mpiexec -n 2 laplace --per-rank 50,50,50 --mode async --scheme shm:signal
)";
}

}  // namespace laplace
