// halometer: every scheme by one yardstick. Each kind of measurement uses the library's own
// exchange objects, so that what is measured is what applications run.

#include "kind.hpp"
#include "measure.hpp"
#include "report.hpp"

#include <frame/program.hpp>
#include <frame/record.hpp>
#include <frame/refusal.hpp>

#include <halocline/more/tuner.hpp>
#include <halocline/wait.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace {

using namespace halometer;
using namespace halocline;

struct Options {
  std::string schemes, start = "auto", pin = "auto", json;
  Limits limits;
  double timeout = 60;
};

bool is_root() {
  return mpi::rank(world()) == 0;
}

void declare(CLI::App& app, Options& options) {
  app.add_option("--schemes", options.schemes,
                 "names or globs, with commas; a glob with + means combinations of options")
      ->capture_default_str();
  app.add_option("--width", options.limits.width,
                 "stop when the 95 % interval of the median is so narrow, as a share of it")
      ->check(CLI::Range(1e-4, 1.0))
      ->capture_default_str();
  app.add_option("--budget", options.limits.budget_s, "or after so many seconds in all")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--least", options.limits.least, "samples before it may be narrow enough")
      ->check(CLI::Range(6, 1'000'000))
      ->capture_default_str();
  app.add_option("--most", options.limits.most, "samples at which it is enough")
      ->check(CLI::Range(6, 1'000'000))
      ->capture_default_str();
  app.add_option("--start", options.start,
                 "ranks begin at an agreed time (window), after a barrier, or auto: by the clock "
                 "unless ranks outnumber cores")
      ->check(CLI::IsMember({"auto", "window", "barrier"}))
      ->capture_default_str();
  app.add_option("--seed", options.limits.seed, "of the random order")->capture_default_str();
  app.add_option("--json", options.json, "write every sample to this file");
  app.add_option("--timeout", options.timeout, "seconds without progress")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--pin", options.pin, "auto or off")
      ->check(CLI::IsMember({"auto", "off"}))
      ->capture_default_str();
}

Start start(const std::string& text) {
  return text == "window" ? Start::window : text == "barrier" ? Start::barrier : Start::automatic;
}

std::string names(const std::vector<std::unique_ptr<Kind>>& kinds) {
  std::string text;
  for (const auto& kind : kinds) text += (text.empty() ? "" : ", ") + kind->name();
  return text;
}

/// All ranks see the same words; one speaks.
int refuse(const std::string& why) {
  if (is_root()) std::cerr << frame::refusal("halometer", why) << '\n';
  return EXIT_FAILURE;
}

/// Measures group by group; the file is whole after each of them.
void measure(const Kind& kind, const std::vector<Group>& groups, const Options& options,
             frame::Record run) {
  run.parameters = {{"kind", kind.name()},
                    {"width", options.limits.width},
                    {"budget_s", options.limits.budget_s},
                    {"least", options.limits.least},
                    {"most", options.limits.most},
                    {"seed", options.limits.seed}};
  nlohmann::ordered_json content = frame::head(world(), "halocline-benchmark", run);
  content["settings"] = nlohmann::ordered_json::array();
  machine::CoreDistances distances;
  distances.take(world());
  Measurement measurement(world(), options.limits);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::vector<Measured> results = measurement.run(groups[i], groups.size() - i);
    distances.take(world());
    const Around around(distances.seconds);
    if (is_root()) print(std::cout, groups[i].title, around, results);
    content["clock"] = measurement.clock();
    if (around.known()) content["core_distance_s"] = distances.seconds;
    for (const Measured& result : results) content["settings"].push_back(as_json(result, around));
    if (!options.json.empty()) frame::save(world(), content, options.json);
  }
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app{"Measures every communication scheme by one yardstick."};
  app.require_subcommand(1);
  app.fallthrough();
  declare(app, options);
  const auto all = kinds();
  for (const auto& kind : all) kind->declare(*app.add_subcommand(kind->name(), kind->summary()));
  Kind* chosen = nullptr;
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wish) {
    if (is_root()) app.exit(wish);
    return EXIT_SUCCESS;
  } catch (const CLI::RequiredError&) {
    return refuse(std::string(argc > 1 ? argv[1] : "no word") +
                  " is no kind of measurement; there are " + names(all));
  } catch (const CLI::ParseError& problem) {
    return refuse(problem.what());
  }
  for (const auto& kind : all)
    if (app.got_subcommand(kind->name())) chosen = kind.get();
  try {
    frame::check_save(world(), options.json);
  } catch (const Error& problem) {
    return refuse(problem.what());
  }
  options.limits.start = start(options.start);
  Patience::current().timeout = std::chrono::duration<double>(options.timeout);
  Tuning::current().remark = &print_remark;
  make_collectives_yield(world());

  frame::Record record;
  record.program = "halometer";
  record.arguments.assign(argv + 1, argv + argc);
  record.threads = chosen->threads();
  // Before there is memory: what a thread touches first is near it.
  record.pinning = machine::place_threads(
      world(), chosen->threads(),
      options.pin == "off" ? machine::Pin::off : machine::Pin::automatic, "halometer");
  std::vector<Group> groups;
  try {
    groups = chosen->groups(world(),
                            options.schemes.empty() ? chosen->default_schemes() : options.schemes);
  } catch (const mpi::CallFailed&) {
    throw;
  } catch (const Error& problem) {
    return refuse(problem.what());
  }
  measure(*chosen, groups, options, std::move(record));
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  frame::heed_timeout(argc, argv);
  frame::heed_questions(argc, argv);
  // MPI begins before the words are read.
  int level = MPI_THREAD_FUNNELED;
  for (const auto& kind : kinds())
    if (std::any_of(argv + 1, argv + argc, [&](const char* word) { return kind->name() == word; }))
      level = std::max(level, kind->thread_level());
  return guarded_main(argc, argv, "halometer", run, level);
}
