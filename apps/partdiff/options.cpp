#include "options.hpp"

namespace partdiff {

using frame::Value;
using halocline::Error;

void Options::declare(frame::CommandLine& line) {
  line.words(words_);
  line.section(frame::how);
  line.option("--decomposition D", "rows (default) or blocks", [this](const Value& value) {
    settings.decomposition = halocline::decomposition(value.text);
  });
  line.option("--halo-depth K",
              "sweeps between exchanges: auto (as many as fit a vector, where the ranks' parts are "
              "thick enough), 1, or more (Jacobi: halos of K points)",
              [this](const Value& value) {
                settings.halo_depth =
                    value.text == "auto" ? 0 : static_cast<int>(value.integer(1, 1024));
              });
  line.option(
      "--device D",
      "Jacobi: sweeps on a device, and how halos get there: mapped (both arrays there and "
      "back at every sweep), resident (the newest to the host and back), update (halos, row "
      "by row), packed (on the device, one copy each way), overlap (the same beside the "
      "inner sweep), aware (MPI is given the device's addresses)",
      [this](const Value& value) {
        settings.device = machine::device_step("--device", value.text);
      });
  line.option("--reduction R",
              "how the residuum of all ranks is found, with TERM 1: allreduce (Jacobi's default), "
              "iallreduce, chain (Gauß-Seidel's default), last, accumulate",
              [this](const Value& value) { reduction_ = halocline::reduction_kind(value.text); });
  line.option(
      "--termination T",
      "Gauß-Seidel with TERM 1 ends on the same sweep as one rank would (exact, default), or "
      "where all ranks catch up with the first (catch-up)",
      [this](const Value& value) {
        settings.exact = value.choose<bool>({{"exact", true}, {"catch-up", false}});
      });
}

void Options::take_words() {
  constexpr const char* names[] = {"NUM", "METHOD", "LINES", "FUNC", "TERM", "VALUE"};
  if (words_.size() < std::size(names))
    throw Error(std::string(names[words_.size()]) + " is missing");
  if (words_.size() > std::size(names))
    throw Error("'" + words_[std::size(names)] + "' is one word too many");
  const auto integer = [&](std::size_t word, std::int64_t least, std::int64_t most) {
    return Value{names[word], words_[word]}.integer(least, most);
  };
  settings.threads = static_cast<int>(integer(0, 1, 1024));
  method = static_cast<Method>(integer(1, 1, 2));
  interlines = integer(2, 0, 100'000);
  function = static_cast<Function>(integer(3, 1, 2));
  settings.termination = static_cast<Termination>(integer(4, 1, 2));
  if (settings.to_accuracy()) {
    value = settings.accuracy =
        Value{names[5], words_[5]}.real("an accuracy from 1e-4 to 1e-20 with TERM 1",
                                        [](double v) { return v >= 1e-20 && v <= 1e-4; });
  } else {
    settings.iterations = integer(5, 1, 200'000);
    value = static_cast<double>(settings.iterations);
  }
}

void Options::settle(const frame::Options& common) {
  take_words();
  const bool jacobi = method == Method::jacobi;
  settings.scheme = common.scheme;
  settings.reduction = reduction_.value_or(jacobi ? halocline::ReductionKind::allreduce
                                                  : halocline::ReductionKind::chain);
  const auto depth = [this] { return "--halo-depth " + std::to_string(settings.halo_depth); };
  if (settings.halo_depth > 1 && !jacobi)
    throw Error(
        depth() +
        ": Gauss-Seidel exchanges in every sweep (1) or has as many sweeps in flight as fit "
        "a vector (auto); only Jacobi (METHOD 2) can recompute");
  if (settings.halo_depth > 1 && settings.scheme.reads_in_place())
    throw Error(depth() + ": " + settings.scheme.str() +
                " keeps no halo to compute on; use --halo-depth 1 or +access=slots");
  if (common.style) {
    frame::only_with(jacobi, "--style " + common.style->str(), "Jacobi's method (METHOD 2)");
    frame::only_with(settings.halo_depth <= 1, "--style " + common.style->str(),
                     "an exchange in every sweep, --halo-depth 1");
  }
  settings.style = common.style;
  if (settings.device) {
    frame::only_with(jacobi, "--device", "Jacobi (METHOD 2)");
    frame::only_with(settings.threads == 1, "NUM above 1", "the host's sweeps, not --device");
    frame::only_with(!settings.style, "--style", "the host's sweeps, not --device");
  }
  settings.measure = common.recorded();
  if (common.progress) settings.progress = frame::progress_line("partdiff", "sweep", "residuum");
}

nlohmann::ordered_json Options::problem() const {
  return {{"METHOD", static_cast<int>(method)},
          {"LINES", interlines},
          {"FUNC", static_cast<int>(function)}};
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

Example: partdiff 1 2 100 1 2 100
)";
}

}  // namespace partdiff
