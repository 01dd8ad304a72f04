#include "options.hpp"

namespace partdiff {

using arguments::number;
using halocline::Error;

namespace {

std::int64_t integer(const char* what, const std::string& text, std::int64_t least,
                     std::int64_t most) {
  const auto value = number<std::int64_t>(text);
  if (!value || *value < least || *value > most)
    throw Error(std::string(what) + " is '" + text + "', but must be an integer from " +
                std::to_string(least) + " to " + std::to_string(most));
  return *value;
}

double accuracy(const std::string& text) {
  const auto value = number<double>(text);
  if (!value || !(*value >= 1e-20 && *value <= 1e-4))
    throw Error("VALUE is '" + text + "', but must be an accuracy from 1e-4 to 1e-20 with TERM 1");
  return *value;
}

void take(Options& options, const std::vector<std::string>& words) {
  constexpr const char* names[] = {"NUM", "METHOD", "LINES", "FUNC", "TERM", "VALUE"};
  if (words.size() < std::size(names))
    throw Error(std::string(names[words.size()]) + " is missing");
  if (words.size() > std::size(names))
    throw Error("'" + words[std::size(names)] + "' is one word too many");
  Settings& settings = options.settings;
  settings.threads = static_cast<int>(integer("NUM", words[0], 1, 1024));
  options.method = static_cast<Method>(integer("METHOD", words[1], 1, 2));
  options.interlines = integer("LINES", words[2], 0, 100'000);
  options.function = static_cast<Function>(integer("FUNC", words[3], 1, 2));
  settings.termination = static_cast<Termination>(integer("TERM", words[4], 1, 2));
  if (settings.to_accuracy()) {
    options.value = settings.accuracy = accuracy(words[5]);
  } else {
    settings.iterations = integer("VALUE", words[5], 1, 200'000);
    options.value = static_cast<double>(settings.iterations);
  }
}

}  // namespace

Options parse(int argc, char** argv) {
  Options options;
  if (argc < 2) {
    options.wish = Options::Wish::usage;
    return options;
  }
  std::vector<std::string> words;
  std::string scheme = "p2p:nonblocking", decomposition = "rows", reduction, termination = "exact";
  std::string depth = "auto", repetitions = "1", timeout = "60";

  CLI::App app;
  app.add_option("words", words);
  app.add_option("--scheme", scheme);
  app.add_option("--decomposition", decomposition);
  app.add_option("--halo-depth", depth);
  app.add_option("--reduction", reduction);
  app.add_option("--termination", termination);
  app.add_option("--repetitions", repetitions);
  app.add_option("--timeout", timeout);
  arguments::parse(app, argc, argv, options);
  if (options.wish != Options::Wish::solve) return options;

  take(options, words);
  Settings& settings = options.settings;
  const bool jacobi = options.method == Method::jacobi;
  settings.scheme = halocline::Scheme(scheme);
  settings.decomposition = halocline::decomposition(decomposition);
  if (reduction.empty()) reduction = jacobi ? "allreduce" : "chain";
  settings.reduction = halocline::reduction_kind(reduction);
  if (termination != "exact" && termination != "catch-up")
    throw Error("--termination " + termination + ": must be exact or catch-up");
  settings.exact = termination == "exact";
  if (depth != "auto")
    settings.halo_depth = static_cast<int>(integer("--halo-depth", depth, 1, 1024));
  if (settings.halo_depth > 1 && !jacobi)
    throw Error(
        "--halo-depth " + depth +
        ": Gauss-Seidel exchanges in every sweep (1) or has as many sweeps in flight as fit "
        "a vector (auto); only Jacobi (METHOD 2) can recompute");
  if (settings.halo_depth > 1 && settings.reads_neighbours_memory())
    throw Error("--halo-depth " + depth + ": " + settings.scheme.str() +
                " keeps no halo to compute on; use --halo-depth 1 or +access=copy");
  options.repetitions = static_cast<int>(integer("--repetitions", repetitions, 1, 1'000'000));
  const auto seconds = number<double>(timeout);
  if (!seconds || !(*seconds > 0))
    throw Error("--timeout " + timeout + ": must be a number of seconds above 0");
  options.timeout = *seconds;
  settings.measure = !options.json.empty();
  return options;
}

std::string usage() {
  return R"(Usage: partdiff NUM METHOD LINES FUNC TERM VALUE [options]

  - NUM:       number of threads per rank (1 .. 1024)
  - METHOD:    calculation method (1 .. 2)
                 1: Gauß-Seidel
                 2: Jacobi
  - LINES:     number of interlines (0 .. 100000)
                 matrixsize = (interlines * 8) + 9
  - FUNC:      perturbation function (1 .. 2)
                 1: f(x,y) = 0
                 2: f(x,y) = 2 * pi^2 * sin(pi * x) * sin(pi * y)
  - TERM:      termination condition (1 .. 2)
                 1: sufficient accuracy
                 2: number of iterations
  - VALUE:     depending on TERM:
                 accuracy:   1e-4 .. 1e-20
                 iterations:    1 .. 200000

Options:
  --scheme S            how halos are exchanged (p2p:nonblocking); see --list-schemes; auto measures
                        them on this problem and takes the fastest
  --tuning F            the file of what auto has chosen (~/.cache/halocline/tuning.json)
  --decomposition D     rows (default) or blocks
  --halo-depth K        sweeps between exchanges: auto (as many as fit a vector, where the ranks'
                        parts are thick enough), 1, or more (Jacobi: halos of K points)
  --reduction R         how the residuum of all ranks is found, with TERM 1: allreduce (Jacobi's
                        default), iallreduce, chain (Gauß-Seidel's default), last, accumulate
  --termination T       Gauß-Seidel with TERM 1 ends on the same sweep as one rank would (exact,
                        default), or where all ranks catch up with the first (catch-up)
  --repetitions N       solve N times; the text is that of the last (1)
  --json F              write times, result and circumstances to F
  --output F.npy        write all points as a NumPy array
  --image F.png         write a picture
  --progress            tell how far it is, on stderr
  --timeout T           give up after T seconds without progress (60)
  --pin P               auto (default): each thread keeps to a core of its own, if there are enough
                        and OMP_PROC_BIND, OMP_PLACES and the like are not set; off: the system
                        places them, better where several jobs share a node
  --list-schemes        print the schemes this MPI can run; with --all the others too, and why not

Example: partdiff 1 2 100 1 2 100
)";
}

}  // namespace partdiff
