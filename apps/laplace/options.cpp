#include "options.hpp"

#include <cmath>

namespace laplace {

using arguments::number;
using halocline::Error;

namespace {

/// Before the value that an option has.
std::string spaced(const std::string& option) {
  return option.ends_with('=') ? option : option + " ";
}

std::int64_t integer(const std::string& option, std::string_view text, std::int64_t least,
                     std::int64_t most) {
  const auto value = number<std::int64_t>(text);
  if (!value || *value < least || *value > most)
    throw Error(spaced(option) + std::string(text) + ": must be an integer from " +
                std::to_string(least) + " to " + std::to_string(most));
  return *value;
}

/// A finite number for which `right` holds.
template <class Right>
double real(const std::string& option, std::string_view text, const char* what, Right&& right) {
  const auto value = number<double>(text);
  if (!value || !std::isfinite(*value) || !right(*value))
    throw Error(spaced(option) + std::string(text) + ": must be " + what);
  return *value;
}

template <class Choice>
Choice choose(const std::string& option, const std::string& text,
              std::initializer_list<std::pair<const char*, Choice>> choices) {
  std::string names;
  for (const auto& [name, choice] : choices) {
    if (text == name) return choice;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  throw Error(option + " " + text + ": must be one of " + names);
}

/// X,Y,Z
std::array<std::int64_t, 3> extents(const std::string& option, const std::string& text) {
  std::array<std::int64_t, 3> all{};
  std::string_view rest = text;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t comma = rest.find(',');
    if ((comma == rest.npos) != (axis == 2))
      throw Error(option + " " + text + ": must be three numbers of points, X,Y,Z");
    all[axis] = integer(option, rest.substr(0, comma), 1, 100'000);
    rest.remove_prefix(comma == rest.npos ? rest.size() : comma + 1);
  }
  return all;
}

/// An option that would be ignored is an error.
void only_with(bool fits, const std::string& option, const char* where) {
  if (!fits) throw Error(option + ": is for " + where);
}

struct Texts {
  std::string grid, per_rank, circle, offset = "0", tolerance = "1e-4", iterations;
  std::string model = "mpi", mode = "sync", scheme, buffers, period, check, confirm, depth;
  std::string threads = "1", slow, repetitions = "1", timeout = "60";
};

void take_grid(Config& config, const Texts& texts, int ranks) {
  if (!config.matrix.empty()) {
    only_with(texts.grid.empty(), "--grid", "the grid; --matrix has its own size");
    only_with(texts.per_rank.empty(), "--per-rank", "the grid; --matrix has its own size");
    return;
  }
  only_with(config.right_side.empty(), "--rhs", "--matrix");
  only_with(!config.force, "--force", "--matrix");
  if (texts.grid.empty() == texts.per_rank.empty())
    throw Error("either --grid X,Y,Z or --per-rank X,Y,Z must say how many points there are");
  Problem& problem = config.problem;
  if (!texts.grid.empty()) {
    const auto [x, y, z] = extents("--grid", texts.grid);
    problem.x = x, problem.y = y, problem.z = z;
    return;
  }
  const auto [x, y, z] = extents("--per-rank", texts.per_rank);
  // Threads are slabs of planes, as in the study.
  const std::vector<int> dims =
      config.model == Model::threads ? std::vector<int>{config.threads, 1, 1} : growing_dims(ranks);
  if (config.model != Model::threads) config.dims = dims;
  problem.z = z * dims[0], problem.y = y * dims[1], problem.x = x * dims[2];
}

void take_check(Config& config, const std::string& text) {
  const bool sync = config.mode == Mode::sync;
  if (text.empty()) return;
  if (text.starts_with("every=")) {
    only_with(sync, "--check " + text, "--mode sync; asynchronous sums are tree or iallreduce");
    config.check_every = integer("--check every=", text.substr(6), 1, 1'000'000'000);
    return;
  }
  config.check = halocline::async_sum_kind(text);
  only_with(!sync, "--check " + text, "--mode async or racy; --mode sync looks every=K iterations");
  only_with(config.model != Model::threads, "--check " + text,
            "ranks; the threads of one process have one way to sum up");
}

void take_slow(Config& config, const std::string& text, int workers) {
  if (text.empty()) return;
  const std::size_t colon = text.find(':');
  if (colon == text.npos) throw Error("--slow " + text + ": must be RANK:FACTOR, such as 0:3");
  config.slow_worker = static_cast<int>(integer(
      "--slow " + text + ", RANK", std::string_view(text).substr(0, colon), 0, workers - 1));
  config.slow_factor =
      real("--slow " + text + ", FACTOR", std::string_view(text).substr(colon + 1),
           "a number from 1 to 1000", [](double v) { return v >= 1 && v <= 1000; });
}

void take_asynchronous(Config& config, const Texts& texts) {
  const bool async = config.mode != Mode::sync, threads = config.model == Model::threads;
  constexpr const char* modes = "--mode async or racy";
  only_with(async || texts.buffers.empty(), "--buffers", modes);
  only_with(async || texts.period.empty(), "--halo-period", modes);
  only_with(async || texts.confirm.empty(), "--confirm", modes);
  only_with(!async || texts.depth.empty(), "--depth", "--mode sync");
  if (!texts.buffers.empty())
    config.buffers = static_cast<int>(integer("--buffers", texts.buffers, 1, 1024));
  only_with(!threads || config.buffers == 1, "--buffers " + texts.buffers,
            "ranks; threads have one mailbox for each neighbour");
  if (!texts.period.empty())
    config.halo_period =
        texts.period == "auto"
            ? 0
            : static_cast<int>(integer("--halo-period", texts.period, 1, 1'000'000));
  if (!texts.confirm.empty())
    config.confirm = choose<bool>("--confirm", texts.confirm, {{"on", true}, {"off", false}});
  if (!texts.depth.empty() && texts.depth != "auto")
    config.depth = static_cast<int>(integer("--depth", texts.depth, 1, 1024));
}

std::string scheme_of_openshmem(Mode mode) {
  std::vector<std::string> names = halocline::async_schemes();
  if (mode == Mode::sync) {
    names.clear();
    for (const auto& known : halocline::known_schemes()) names.push_back(known.scheme);
  }
  for (const std::string& name : names)
    if (name.starts_with("shmem")) return name;
  throw Error(std::string("--model shmem: there is no OpenSHMEM scheme for ") +
              (mode == Mode::sync ? "--mode sync" : "asynchronous iterations") + " in this build");
}

void take_scheme(Config& config, const std::string& text) {
  const bool threads = config.model == Model::threads;
  only_with(!threads || text.empty(), "--scheme " + text,
            "ranks; --model threads has none, and modes sync, async and racy");
  if (threads) return;
  if (config.model == Model::shmem) {
    config.scheme = halocline::Scheme(text.empty() ? scheme_of_openshmem(config.mode) : text);
    only_with(config.scheme.method().starts_with("shmem"), "--scheme " + text, "--model mpi");
    return;
  }
  if (!text.empty()) config.scheme = halocline::Scheme(text);
}

}  // namespace

Options parse(int argc, char** argv, int ranks) {
  Options options;
  if (argc < 2) {
    options.wish = Options::Wish::usage;
    return options;
  }
  Texts texts;
  CLI::App app;
  app.add_option("--grid", texts.grid);
  app.add_option("--per-rank", texts.per_rank);
  app.add_option("--matrix", options.config.matrix);
  app.add_option("--rhs", options.config.right_side);
  app.add_flag("--force", options.config.force);
  app.add_option("--circle", texts.circle);
  app.add_option("--offset", texts.offset);
  app.add_option("--tolerance", texts.tolerance);
  app.add_option("--max-iterations", texts.iterations);
  app.add_option("--model", texts.model);
  app.add_option("--mode", texts.mode);
  app.add_option("--scheme", texts.scheme);
  app.add_option("--buffers", texts.buffers);
  app.add_option("--halo-period", texts.period);
  app.add_option("--check", texts.check);
  app.add_option("--confirm", texts.confirm);
  app.add_option("--depth", texts.depth);
  app.add_option("--threads", texts.threads);
  app.add_option("--slow", texts.slow);
  app.add_option("--repetitions", texts.repetitions);
  app.add_option("--timeout", texts.timeout);
  arguments::parse(app, argc, argv, options);
  if (options.wish == Options::Wish::usage) return options;

  Config& config = options.config;
  config.mode = choose<Mode>("--mode", texts.mode,
                             {{"sync", Mode::sync}, {"async", Mode::async}, {"racy", Mode::racy}});
  if (options.wish == Options::Wish::list_schemes) return options;
  config.model =
      choose<Model>("--model", texts.model,
                    {{"mpi", Model::mpi}, {"shmem", Model::shmem}, {"threads", Model::threads}});
  config.threads = static_cast<int>(integer("--threads", texts.threads, 1, 1024));
  const bool threads = config.model == Model::threads;
  if (threads && ranks > 1)
    throw Error("--model threads: runs in one process, but there are " + std::to_string(ranks) +
                " ranks; --threads says how many threads");
  only_with(threads || config.mode == Mode::sync || config.threads == 1,
            "--threads " + texts.threads, "--mode sync or --model threads");

  take_grid(config, texts, ranks);
  if (!texts.circle.empty())
    config.problem.circle =
        real("--circle", texts.circle, "a radius above 0", [](double v) { return v > 0; });
  config.problem.offset = real("--offset", texts.offset, "a number", [](double) { return true; });
  config.tolerance = real("--tolerance", texts.tolerance, "a number above 0 and below 1",
                          [](double v) { return v > 0 && v < 1; });
  if (!texts.iterations.empty())
    config.max_iterations = integer("--max-iterations", texts.iterations, 0, 1'000'000'000);
  take_asynchronous(config, texts);
  take_check(config, texts.check);
  take_scheme(config, texts.scheme);
  take_slow(config, texts.slow, threads ? config.threads : ranks);
  options.repetitions = static_cast<int>(integer("--repetitions", texts.repetitions, 1, 1'000'000));
  config.timeout = real("--timeout", texts.timeout, "a number of seconds above 0",
                        [](double v) { return v > 0; });
  only_with(config.matrix.empty() || options.image.empty(), "--image", "the grid, not --matrix");
  config.measure = !options.json.empty();
  return options;
}

std::string usage() {
  return R"(Usage: laplace --grid X,Y,Z | --per-rank X,Y,Z | --matrix F.mtx [options]

Laplace's equation on the unit cube, or any linear system A u = b, by Jacobi's method, until
|b - A u| / |b| is within a tolerance.

Problem:
  --grid X,Y,Z          points inside the cube
  --per-rank X,Y,Z      points of each rank; the ranks' grid doubles in x, then y, then z
                        (--model threads: of each thread, along z)
  --matrix F.mtx        A from a Matrix Market file (coordinate, real, general or symmetric), cut by
                        rows; refused where the iterations need not converge, but for --force
  --rhs F.mtx           b from a Matrix Market file (A times a vector of ones)
  --circle R            the source at the bottom is a disc of radius R (whole bottom)
  --offset A            added to the surface and to the start (0); 1 avoids exact zeros
  --tolerance T         relative residual to reach (1e-4)
  --max-iterations N    give up when a rank has done so many (10000000)

How:
  --mode M              sync: in step, the same bits on any ranks, threads and scheme (default)
                        async: nobody waits; a halo is the newest that has arrived, complete
                        racy: nobody waits; a halo is whatever has arrived
  --model M             mpi (default), shmem (OpenSHMEM) or threads (OpenMP, in one process)
  --scheme S            how halos travel (p2p:nonblocking); see --list-schemes
  --threads N           threads of each rank (1)
  --pin P, --tuning F   as in partdiff
  --depth K             sync: sweeps between exchanges (auto)
  --check C             sync: every=K, iterations between looks at the residual (100)
                        async, racy: tree (default) or iallreduce, how it is summed up
  --buffers R           async: messages of one link that may be under way (1)
  --halo-period N       async, racy: iterations from one send to the next (8); auto measures
  --confirm C           async, racy: on (default): where the true residual turns out to be above
                        the tolerance, the iterations go on; off: they end
  --slow RANK:FACTOR    this rank (or thread) computes so many times as long
  --repetitions N       solve N times; the text is that of the last (1)
  --timeout T           give up after T seconds without progress (60)

Results:
  --json F              times, counts of every rank, convergence and circumstances
  --output F.h5         all points (HDF5), and F.xmf beside it for ParaView
  --image F.png         the plane y = 1/2
  --progress            tell the residual once a second, on stderr
  --list-schemes        print the schemes of the mode that this MPI can run; with --all the others
                        too, and why not

Example: mpiexec -n 2 laplace --per-rank 50,50,50 --mode async --scheme shm:signal
)";
}

}  // namespace laplace
