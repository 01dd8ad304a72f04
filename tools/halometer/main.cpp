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

void declare(frame::Arguments& app, Options& options) {
  app.option("--schemes", options.schemes,
             "names or globs, with commas; a glob with + means combinations of options")
      .shows_default();
  app.option("--width", options.limits.width,
             "stop when the 95 % interval of the median is so narrow, as a share of it")
      .range(1e-4, 1.0)
      .shows_default();
  app.option("--budget", options.limits.budget_s, "or after so many seconds in all")
      .not_negative()
      .shows_default();
  app.option("--least", options.limits.least, "samples before it may be narrow enough")
      .range(6, 1'000'000)
      .shows_default();
  app.option("--most", options.limits.most, "samples at which it is enough")
      .range(6, 1'000'000)
      .shows_default();
  app.option("--start", options.start,
             "ranks begin at an agreed time (window), after a barrier, or auto: by the clock "
             "unless ranks outnumber cores")
      .one_of({"auto", "window", "barrier"})
      .shows_default();
  app.option("--seed", options.limits.seed, "of the random order").shows_default();
  app.option("--json", options.json, "write every sample to this file");
  app.option("--timeout", options.timeout, "seconds without progress").positive().shows_default();
  app.option("--pin", options.pin, "auto or off").one_of({"auto", "off"}).shows_default();
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
  frame::Arguments app("Measures every communication scheme by one yardstick.");
  app.options_anywhere();
  declare(app, options);
  const auto all = kinds();
  for (const auto& kind : all) kind->declare(app.command(kind->name(), kind->summary()));
  Kind* chosen = nullptr;
  try {
    if (const std::string help = app.parse(argc, argv); !help.empty()) {
      if (is_root()) std::cout << help;
      return EXIT_SUCCESS;
    }
  } catch (const frame::WrongArguments& problem) {
    if (!problem.missing) return refuse(problem.what());
    return refuse(std::string(argc > 1 ? argv[1] : "no word") +
                  " is no kind of measurement; there are " + names(all));
  }
  for (const auto& kind : all)
    if (app.named(kind->name())) chosen = kind.get();
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
