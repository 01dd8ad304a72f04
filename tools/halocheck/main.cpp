// halocheck: does this machine's MPI carry out every scheme correctly?
//
// For each scheme and a series of random, awkward patterns it compares every byte after every
// step with a plain reference. Rank 0 prints one line of JSON when a scheme begins and one when it
// has ended, so that whoever started it knows which scheme did not survive.

#include "case.hpp"
#include "check.hpp"
#include "covering.hpp"

#include <base/text.hpp>
#include <frame/arguments.hpp>
#include <frame/facts.hpp>
#include <frame/json.hpp>
#include <frame/lists.hpp>
#include <frame/program.hpp>
#include <frame/refusal.hpp>

#include <halocline/more/method.hpp>
#include <halocline/more/standard_output.hpp>
#include <halocline/more/tuner.hpp>

#include <fnmatch.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <optional>
#include <thread>

using namespace halocline;
using namespace halocheck;
using nlohmann::json;

namespace {

struct Options {
  bool list = false, all = false, combinations = false, as_json = false, facts = false,
       device = false;
  std::string schemes = "all", except, shard, sizes = "small", tuning;
  std::vector<std::string> globs;
  CaseOptions cases;
  int count = 12, steps = 6;
  std::optional<int> only;
  int delay = 0;
  double timeout = 60;
  bool strict = false, spread = false, unbound = false;
};

// ---- which schemes -------------------------------------------------------------------------

std::vector<std::string> available() {
  std::vector<std::string> list;
  for (const SchemeFacts& known : known_schemes())
    if (known.unavailable.empty()) list.push_back(known.scheme);
  return list;
}

/// One of n parts, "i/n" with i from 1.
void take_shard(std::vector<std::string>& schemes, const std::string& shard) {
  if (shard.empty()) return;
  const std::vector<std::int64_t> numbers = frame::numbers(shard, '/');
  if (numbers.size() != 2 || numbers[0] > numbers[1])
    throw Error("--shard " + shard + ": must be i/n with i from 1 to n");
  std::vector<std::string> mine;
  for (std::int64_t i = numbers[0] - 1; i < std::ssize(schemes); i += numbers[1])
    mine.push_back(schemes[static_cast<std::size_t>(i)]);
  schemes = std::move(mine);
}

/// Names, patterns with * and ?, `all`, `combinations` and `pairs`, separated by commas.
std::vector<std::string> chosen(const Options& options) {
  std::vector<std::string> schemes;
  const auto add = [&](const std::vector<std::string>& more, const std::string& glob = "*") {
    bool any = false;
    for (const std::string& scheme : more)
      if (fnmatch(glob.c_str(), scheme.c_str(), 0) == 0) {
        any = true;
        if (std::find(schemes.begin(), schemes.end(), scheme) == schemes.end())
          schemes.push_back(scheme);
      }
    return any;
  };
  std::istringstream words(options.schemes);
  for (std::string word; std::getline(words, word, ',');) {
    if (word == "all")
      add(available());
    else if (word == "combinations")
      add(scheme_combinations());
    else if (word == "pairs")
      add(covering_pairs(scheme_combinations()));
    else if (word.find_first_of("*?") == std::string::npos)
      add({word});
    else if (bool known = add(available(), word); !add(scheme_combinations(), word) && !known)
      throw Error("--schemes " + word + ": no scheme that this MPI can run has such a name");
  }
  std::istringstream exceptions(options.except);
  for (std::string glob; std::getline(exceptions, glob, ',');)
    std::erase_if(schemes, [&](const std::string& name) { return Scheme(name).matches(glob); });
  take_shard(schemes, options.shard);
  return schemes;
}

int list(const Options& options) {
  json rows = json::array();
  if (options.combinations) {
    for (const std::string& scheme : scheme_combinations())
      rows.push_back({{"scheme", scheme}, {"available", true}, {"reason", ""}, {"summary", ""}});
  } else {
    for (const SchemeFacts& known : known_schemes())
      if (options.all || known.unavailable.empty())
        rows.push_back({{"scheme", known.scheme},
                        {"available", known.unavailable.empty()},
                        {"reason", known.unavailable},
                        {"summary", known.summary}});
  }
  if (options.as_json) {
    std::cout << base::json_text(rows) << '\n';
    return EXIT_SUCCESS;
  }
  for (const json& row : rows) {
    std::cout << row["scheme"].get<std::string>();
    const std::string note = row["available"] ? row["summary"].get<std::string>()
                                              : "not here: " + row["reason"].get<std::string>();
    if (!note.empty()) std::cout << "\n    " << note;
    std::cout << '\n';
  }
  return EXIT_SUCCESS;
}

/// Prints those of the globs that match no scheme, here or under another MPI.
int print_meaningless(const std::vector<std::string>& globs) {
  json found = json::array();
  for (const std::string& glob : globs)
    if (!matches_any_scheme(glob)) found.push_back(glob);
  std::cout << base::json_text(json{{"match_no_scheme", found}}) << '\n';
  return EXIT_SUCCESS;
}

// ---- one scheme ----------------------------------------------------------------------------

enum Outcome { sound, refused, wrong, error };
constexpr const char* outcome_names[] = {"sound", "refused", "wrong", "error"};

struct Verdict {
  Outcome outcome = sound;
  std::string detail;
};

/// The worst of all ranks' verdicts, on all ranks, in the words of the lowest rank that saw it.
Verdict settle(const Verdict& mine) {
  // A rank that gave up gets here while others still wait: they need their time to give up too.
  const auto patience = Patience::current().timeout;
  Patience::current().timeout = 3 * patience + std::chrono::seconds(10);
  int worst = mine.outcome;
  {
    MPI_Request request = MPI_REQUEST_NULL;
    HALOCLINE_MPI(MPI_Iallreduce, MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, world(), &request);
    wait_one("halocheck: the other ranks' verdicts", request);
  }
  Verdict all{static_cast<Outcome>(worst), {}};
  if (worst > sound) {
    try {
      mpi::agree(world(), mine.outcome == worst ? mine.detail : "");
    } catch (const Error& said) {
      all.detail = said.what();
    }
  }
  Patience::current().timeout = patience;
  return all;
}

std::string repeat(const Options& options, const std::string& scheme, int index) {
  std::ostringstream out;
  out << "; repeat: mpiexec -n " << mpi::size(world()) << " halocheck --schemes '" << scheme
      << "' --seed " << options.cases.seed << " --case " << index << " --steps " << options.steps;
  if (options.sizes != "small") out << " --sizes " << options.sizes;
  if (options.cases.fields) out << " --fields " << options.cases.fields;
  if (options.delay) out << " --delay " << options.delay;
  if (options.unbound) out << " --other-arrays";
  return out.str();
}

void print(const json& line) {
  if (mpi::rank(world()) == 0) std::cout << base::json_text(line) << std::endl;
}

/// Ends the job: after an error within the steps the ranks are no longer together.
[[noreturn]] void give_up(const std::string& detail) {
  if (mpi::rank(world()) == 0) end_job("halocheck", detail);
  std::this_thread::sleep_for(std::chrono::seconds(5));
  std::_Exit(EXIT_FAILURE);
}

/// What cases on some of the ranks need. A scheme that there is not, or that does not start, is
/// refused by its cases.
void start_for(const std::string& scheme) {
  try {
    prepare(scheme);
  } catch (const Error&) {
  }
}

Verdict check_case(const Case& the_case, const std::string& name, const Options& options,
                   int index) {
  const auto about = [&](const std::string& what) { return the_case.text + ": " + what; };
  std::optional<Check> check;
  Verdict verdict;
  try {
    const Scheme scheme(name);
    try {
      check.emplace(the_case, scheme, options.unbound);
    } catch (const Error& refusal) {
      verdict = {refused, about(refusal.what())};
    }
  } catch (const Error& unknown) {
    verdict = {refused, unknown.what()};
  }
  if (check) {
    try {
      const std::string difference = check->run(options.steps, options.cases.seed + index);
      if (!difference.empty()) verdict = {wrong, about(difference)};
    } catch (const std::exception& problem) {
      verdict = {error, about(problem.what())};
    }
  }
  verdict = settle(verdict);
  if (verdict.outcome > sound) verdict.detail += repeat(options, name, index);
  if (verdict.outcome == error) {
    print({{"event", "end"}, {"scheme", name}, {"outcome", "error"}, {"detail", verdict.detail}});
    give_up(name + ": " + verdict.detail);
  }
  return verdict;
}

/// The cases of one scheme after the other: the same for all of them, or others for each.
class Cases {
 public:
  explicit Cases(const Options& options) : options_(options) {}

  const Case& operator[](int index) {
    auto& made = cases_[index];
    if (!made) made = make_case(communicators_, options_.cases, index);
    return *made;
  }
  /// Number `i` of a scheme's cases.
  int index(std::size_t scheme, int i) const {
    if (options_.only) return *options_.only;
    return i + (options_.spread ? static_cast<int>(scheme) * options_.count : 0);
  }

 private:
  const Options& options_;
  Communicators communicators_;
  std::map<int, std::optional<Case>> cases_;
};

Verdict check_scheme(const std::string& name, std::size_t number, Cases& cases,
                     const Options& options) {
  Verdict worst;
  for (int i = 0; i < options.count && worst.outcome < wrong; ++i) {
    const int index = cases.index(number, i);
    const Verdict verdict = check_case(cases[index], name, options, index);
    if (verdict.outcome > worst.outcome) worst = verdict;
  }
  return worst;
}

int check_schemes(const Options& options) {
  const auto schemes = chosen(options);
  Cases cases(options);
  std::array<int, 4> count{};
  for (std::size_t number = 0; number < schemes.size(); ++number) {
    const std::string& scheme = schemes[number];
    print({{"event", "begin"}, {"scheme", scheme}});
    start_for(scheme);
    const auto begin = std::chrono::steady_clock::now();
    const Verdict verdict = check_scheme(scheme, number, cases, options);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    ++count[verdict.outcome];
    print({{"event", "end"},
           {"scheme", scheme},
           {"outcome", outcome_names[verdict.outcome]},
           {"detail", verdict.outcome > sound ? verdict.detail : ""},
           {"seconds", took.count()}});
  }
  if (mpi::rank(world()) == 0)
    std::cerr << "halocheck: " << schemes.size() << " schemes x " << options.count << " cases on "
              << mpi::size(world()) << " ranks: " << count[sound] << " sound, " << count[wrong]
              << " wrong, " << count[refused] << " refused\n";
  return count[wrong] > 0 || (options.strict && count[refused] > 0) ? EXIT_FAILURE : EXIT_SUCCESS;
}

/// All lines that the library says of itself: how it was built, too.
std::string whole_library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  HALOCLINE_MPI(MPI_Get_library_version, text.data(), &length);
  return text.data();
}

int print_facts() {
  json all = {{"machine", frame::facts::machine()},
              {"mpi", frame::facts::mpi()},
              {"windows", frame::facts::windows(world())},
              {"small_windows_work", frame::facts::small_windows_work(world())},
              {"ranks", frame::facts::ranks(world())},
              {"build", frame::facts::build()}};
  all["mpi"]["built"] = whole_library_version();
  const Surroundings here = surroundings();
  all["verdicts_hold_for"] = {{"host", here.host},
                              {"mpi", here.mpi},
                              {"environment", here.environment},
                              {"build", here.build}};
  if (mpi::rank(world()) == 0) std::cout << base::json_text(all) << '\n';
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  StandardOutput output("halocheck");
  Options options;
  frame::Arguments app(
      "Checks every communication scheme against a plain reference, byte for byte.");
  app.flag("--list", options.list, "print the schemes that this MPI can run (needs no launcher)");
  app.flag("--all", options.all, "with --list: also those it cannot, and why");
  app.flag("--combinations", options.combinations, "with --list: every combination of options");
  app.flag("--json", options.as_json, "with --list: as JSON");
  app.option("--globs", options.globs,
             "print those of these globs that match no scheme of any MPI, as JSON (needs no "
             "launcher)");
  app.flag("--facts", options.facts, "print machine, MPI, windows and pinning as JSON");
  app.flag("--device", options.device, "print what device a rank has, or why none, as JSON");
  app.option("--schemes", options.schemes,
             "names, globs, 'all', 'combinations' or 'pairs' (every two options meet), with commas")
      .shows_default();
  app.option("--except", options.except,
             "leave these out: globs of names, all options spelled out or not, with commas");
  app.option("--shard", options.shard, "only part i of n of the schemes: i/n");
  app.option("--seed", options.cases.seed, "of the random cases").shows_default();
  app.option("--cases", options.count, "patterns for each scheme").shows_default().positive();
  app.flag("--spread", options.spread, "other patterns for every scheme");
  app.option("--case", options.only, "only this one, as a failure's message says");
  app.option("--steps", options.steps, "exchanges of each pattern").shows_default().positive();
  app.option("--delay", options.delay, "random pauses of up to so many microseconds");
  app.option("--timeout", options.timeout, "seconds without progress").shows_default().positive();
  app.option("--tuning", options.tuning, "the file of what the scheme auto has chosen");
  app.option("--sizes", options.sizes, "small or any (up to a megabyte)")
      .shows_default()
      .one_of({"small", "any"});
  app.flag("--other-arrays", options.unbound,
           "one exchange that is given other arrays at each step");
  app.option("--fields", options.cases.fields, "fields in one message; 0: one to three")
      .range(0, 16);
  app.flag("--strict", options.strict, "a scheme that refuses a pattern is a failure too");
  try {
    if (const std::string help = app.parse(argc, argv); !help.empty()) {
      std::cout << help;
      return output.end(EXIT_SUCCESS);
    }
  } catch (const frame::WrongArguments& problem) {
    // One message, not one from every rank.
    return guarded_main(argc, argv, "halocheck", [&](int, char**) {
      if (mpi::rank(world()) == 0) std::cerr << frame::refusal("halocheck", problem.what()) << '\n';
      return EXIT_FAILURE;
    });
  }
  options.cases.small = options.sizes == "small";
  if (options.only) options.count = 1;

  try {
    if (options.list) return output.end(list(options));
    if (!options.globs.empty()) return output.end(print_meaningless(options.globs));
    known_schemes();  // what HALOCLINE_METHODS names is loaded, or refused before MPI is there
  } catch (const Error& problem) {
    std::cerr << "halocheck: " << problem.what() << '\n';
    return EXIT_FAILURE;
  }
  frame::heed_timeout(argc, argv);
  return guarded_main(argc, argv, "halocheck", [&](int, char**) {
    make_collectives_yield(world());
    Tuning::current().file = options.tuning;
    Tuning::current().remark = &print_remark;
    if (options.facts) return print_facts();
    if (options.device) {
      const json device = frame::facts::device(world());
      if (mpi::rank(world()) == 0) std::cout << base::json_text(device) << '\n';
      return EXIT_SUCCESS;
    }
    if (options.delay > 0)
      inject_delays(std::chrono::microseconds(options.delay),
                    options.cases.seed + 1000003u * static_cast<unsigned>(mpi::rank(world())));
    return check_schemes(options);
  });
}
