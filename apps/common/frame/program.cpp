#include "program.hpp"

#include "checkpoints.hpp"
#include "refusal.hpp"
#include "scheme_list.hpp"
#include "shared_file.hpp"
#include "turns.hpp"

#include <base/shown.hpp>
#include <base/text.hpp>

#include <halocline/more/method.hpp>
#include <halocline/more/trace.hpp>
#include <halocline/more/tuner.hpp>
#include <halocline/wait.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

namespace frame {

using namespace halocline;

namespace {

bool is_root() {
  return mpi::rank(world()) == 0;
}

struct Wishes {
  Options options;
  bool list_schemes = false, all_schemes = false, list_styles = false, describe_step = false;
  int ranks = 0;  ///< for which a step is to be described; 0: as many as there are
};

/// `scheme` or `scheme@style`, as --in-turn has them.
struct Choice {
  Scheme scheme;
  std::optional<Style> style{};
  Choice(const std::string& text) : scheme(text.substr(0, text.find('@'))) {
    if (const auto at = text.find('@'); at != text.npos) style = Style(text.substr(at + 1));
  }
  std::string str() const { return scheme.str() + (style ? "@" + style->str() : ""); }
};

/// The schemes of a list; throws Error about one that there is not.
std::vector<std::string> schemes_of(const std::string& text) {
  std::vector<std::string> list;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) list.push_back(Choice(word).str());
  if (list.empty()) throw Error("--in-turn: name schemes, with commas");
  return list;
}

/// On all ranks, from rank 0, which reads it. Collective; throws Error on all ranks.
std::string content_of(const std::string& file) {
  std::string content;
  mpi::together(world(), [&] {
    if (!is_root()) return;
    if (!file.ends_with(".toml")) throw Error(file + ": settings are in files *.toml");
    std::ifstream in(file, std::ios::binary);
    in.peek();  // a folder can be opened, too
    if (!in.is_open() || in.bad()) throw Error(file + ": " + std::strerror(errno));
    content.assign(std::istreambuf_iterator<char>(in), {});
  });
  return mpi::from_root(world(), std::move(content));
}

/// The options that every program has.
void declare(CommandLine& line, Wishes& wishes, Program& program) {
  Options& options = wishes.options;
  line.section(how);
  if (program.has_styles()) {
    line.option("--style S",
                "how the threads of a rank share sweeping and communicating; see --list-styles",
                [&](const Value& value) { options.style = Style(value.text); });
    line.flag("--list-styles", "print the styles, and what they need of MPI", wishes.list_styles);
  }
  line.option(
      "--scheme S",
      "how halos travel (p2p:nonblocking); see --list-schemes; auto measures the schemes on "
      "this problem and takes the fastest",
      [&](const Value& value) {
        options.scheme = Scheme(value.text);
        options.scheme_named = true;
      });
  line.option("--in-turn S,...",
              "solve N times through each of these schemes in one launch, in turns and random "
              "order; one named twice has two turns; scheme@style has a style of its own; for "
              "--json; with --trace each solves twice a turn, once traced and once not",
              [&](const Value& value) { options.in_turn = schemes_of(value.text); });
  line.option("--tuning F", "the file of what auto has chosen (~/.cache/halocline/tuning.json)",
              options.tuning);
  line.option("--pin P",
              "auto (default): each thread keeps to a core of its own, if there are enough and "
              "OMP_PROC_BIND, OMP_PLACES and the like are not set; off: the system places them, "
              "better where several jobs share a node",
              [&](const Value& value) {
                options.pin = value.choose<machine::Pin>(
                    {{"auto", machine::Pin::automatic}, {"off", machine::Pin::off}});
              });
  line.option("--repetitions N", "solve N times; the text is that of the last (1)",
              [&](const Value& value) {
                options.repetitions = static_cast<int>(value.integer(1, 1'000'000));
              });
  line.option(
      "--timeout T", "give up after T seconds without progress (60)", [&](const Value& value) {
        options.timeout = value.real("a number of seconds above 0", [](double s) { return s > 0; });
      });
  if (Checkpoints* const checkpoints = program.checkpoints()) checkpoints->declare(line);
  line.section(results);
  line.option("--json F", "write times, result and circumstances to F",
              [&](const Value& value) { options.json = value.file(); });
  line.option("--trace F", "write what every rank does when to F, for `halocline trace`",
              [&](const Value& value) { options.trace = value.file(); });
  line.flag("--progress", "tell once a second how far it is, on stderr", options.progress);
  line.flag("--list-schemes",
            "print the schemes that this MPI can run; with --all the others, "
            "too, and why not",
            wishes.list_schemes);
  line.flag("--all", "see --list-schemes", wishes.all_schemes);
  line.flag("--describe-step",
            "print what a step does (messages, computing, sums) as JSON, and end; `halocline "
            "predict` reads it",
            wishes.describe_step);
  line.option(
      "--ranks N", "for --describe-step: on so many ranks, which need not be there",
      [&](const Value& value) { wishes.ranks = static_cast<int>(value.integer(1, 100'000'000)); });
}

/// Whether a signal has ended it early; says so.
bool ended_early(Program& program, const char* name) {
  const Checkpoints* const checkpoints = program.checkpoints();
  if (checkpoints == nullptr || !checkpoints->wanted()) return false;
  // Ranks without a part of the problem know nothing of it.
  const int none = mpi::size(world()), me = mpi::rank(world());
  int first = checkpoints->ended().empty() ? none : me;
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, world());
  if (first == me) std::cerr << name << ": " << checkpoints->ended() << '\n';
  return first != none;
}

int solve(Program& program, const char* name, const CommandLine& line, const Options& options,
          Record record) {
  program.set_up();
  if (const std::string note = program.note(); is_root() && !note.empty())
    std::cerr << name << ": " << note << '\n';

  if (options.recorded()) record.distances.take(world());
  trace::record(true);
  for (int i = 0; i < options.repetitions; ++i) {
    Repetition repetition = program.solve();
    if (ended_early(program, name)) return goes_on_later;
    record.totals.push_back(repetition.seconds);
    record.steps.push_back(std::move(repetition.steps));
    record.phases = repetition.phases;
  }
  if (!options.trace.empty()) trace::write(world(), options.trace);
  if (options.recorded()) record.distances.take(world());

  const std::string text = program.text();
  if (is_root()) std::cout << text << std::flush;
  line.write_outputs();
  if (options.recorded()) {
    record.scheme = options.scheme.str();
    program.describe(record);
    write(world(), record, options.json);
  }
  if (const Checkpoints* const checkpoints = program.checkpoints()) checkpoints->check_kept();
  return EXIT_SUCCESS;
}

/// Before anything is computed. Rank 0 looks, and all ranks at what they write together.
/// Collective; throws Error on all ranks.
void look_at_files(Program& program, const CommandLine& line, const Options& options) {
  std::vector<base::Planned> files = line.outputs();
  std::ranges::copy(program.files(), std::back_inserter(files));
  if (const Checkpoints* const checkpoints = program.checkpoints())
    std::ranges::copy(checkpoints->files(), std::back_inserter(files));
  if (!options.json.empty()) files.push_back({"--json", options.json});
  if (!options.trace.empty()) files.push_back({"--trace", options.trace, base::Writing::shared});
  mpi::together(world(), [&] {
    if (is_root()) base::check_files(files);
  });
  for (const base::Planned& file : files)
    if (file.how == base::Writing::shared) check_shared(world(), file.option, file.file);
}

/// Ranks that are told different things would wait for each other. Collective; throws Error on all.
void check_same_words(int argc, char** argv) {
  std::string mine;
  for (int i = 1; i < argc; ++i) mine += (i > 1 ? " " : "") + base::shown(argv[i]);
  const std::string first = mpi::from_root(world(), mine);
  mpi::agree(world(), mine == first ? ""
                                    : "rank " + std::to_string(mpi::rank(world())) +
                                          " has the options '" + mine + "', but rank 0 '" + first +
                                          "'; all ranks must have the same");
}

/// A program and what it was told.
struct Told {
  std::unique_ptr<Program> program;
  CommandLine line{};
  Wishes wishes{};
  std::string answer{};  ///< to one who did not ask for a solution

  Told(const Make& make, const char* name, int argc, char** argv, const std::string& scheme = {})
      : program(make()) {
    const Options& options = wishes.options;
    try {
      check_same_words(argc, argv);
    } catch (const Error& problem) {
      if (is_root()) std::cerr << name << ": " << problem.what() << '\n';
      throw Refused();
    }
    program->declare(line);
    declare(line, wishes, *program);
    try {
      if (!line.parse(argc, argv)) {
        answer = program->usage() + line.help();
      } else if (wishes.list_schemes) {
        answer = scheme_list(wishes.all_schemes, program->schemes());
      } else if (wishes.list_styles) {
        answer = style_list();
      } else {
        if (const std::string& file = line.settings_file(); !file.empty())
          line.read(file, content_of(file));
        line.take();
        if (!options.in_turn.empty() && (options.scheme_named || !options.recorded()))
          throw Error("--in-turn: goes with --json, and without --scheme");
        if (!scheme.empty()) {
          const Choice choice(scheme);
          wishes.options.scheme = choice.scheme;
          wishes.options.scheme_named = true;
          if (choice.style) wishes.options.style = choice.style;
        }
        only_with(wishes.describe_step || wishes.ranks == 0, "--ranks", "--describe-step");
        wishes.options.ranks = wishes.ranks > 0 ? wishes.ranks : mpi::size(world());
        if (options.style && !program->has_styles())
          throw Error("--in-turn " + scheme + ": " + name + " has no styles");
        program->settle(options);
        if (wishes.describe_step)
          answer = base::json_text(described(program->step(options), name, options.scheme.str(),
                                             {argv + 1, argv + argc})) +
                   "\n";
        else if (scheme.empty())
          look_at_files(*program, line, options);
      }
    } catch (const Error& problem) {
      // All ranks see the same words; one speaks.
      if (is_root()) std::cerr << refusal(name, problem.what()) << '\n';
      throw Refused();
    }
  }
  struct Refused {};
};

int carry_out(const Make& make, const char* name, int argc, char** argv) {
  const Told told(make, name, argc, argv);
  const Options& options = told.wishes.options;
  if (!told.answer.empty()) {
    if (is_root()) std::cout << told.answer;
    return EXIT_SUCCESS;
  }
  std::vector<Entrant> entrants;
  std::vector<Scheme> schemes{options.scheme};
  for (const std::string& scheme : options.in_turn) {
    Told one(make, name, argc, argv, scheme);
    schemes.push_back(one.wishes.options.scheme);
    entrants.push_back({scheme, std::move(one.program)});
  }

  Patience::current().timeout = std::chrono::duration<double>(options.timeout);
  make_collectives_yield(world());
  Tuning::current().file = options.tuning;
  Tuning::current().remark = &print_remark;
  for (const Scheme& scheme : schemes) prepare(scheme);
  const int threads = told.program->threads();
  // Threads that compute need the cores that waiting ranks would hold.
  if (threads > 1) Patience::current().yield = true;

  Record record;
  record.program = name;
  record.arguments.assign(argv + 1, argv + argc);
  if (!options.trace.empty()) {
    trace::begin(world(), {.paused = true});
    trace::describe_job(
        base::json_text(nlohmann::json{{"program", name}, {"arguments", record.arguments}}));
  }
  record.threads = threads;
  record.pinning = machine::place_threads(world(), threads, options.pin, name);
  if (entrants.empty()) return solve(*told.program, name, told.line, options, std::move(record));
  solve_in_turns(entrants, options, std::move(record));
  return EXIT_SUCCESS;
}

}  // namespace

Step Program::step(const Options&) const {
  throw Error("--describe-step: this program does not describe its steps");
}

int thread_level(int argc, char** argv) {
  // Only looked for here; whoever reads the words says what is wrong with them.
  int level = MPI_THREAD_FUNNELED;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i], before = argv[i - 1];
    for (const StyleFacts& known : known_styles())
      if ((before == "--style" && word == known.style) || word == "--style=" + known.style ||
          word.find("@" + known.style) != word.npos)
        level = std::max(level, known.thread_level);
  }
  return level;
}

void heed_timeout(int argc, char** argv) {
  constexpr std::string_view option = "--timeout";
  Patience::current().timeout = std::chrono::seconds(60);
  Patience::current().remedy = "--timeout";
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    if (!word.starts_with(option)) continue;
    word.remove_prefix(option.size());
    if (word.empty() && i + 1 < argc)
      word = argv[i + 1];
    else if (word.starts_with('='))
      word.remove_prefix(1);
    if (const auto seconds = number<double>(word); seconds && *seconds > 0)
      Patience::current().timeout = std::chrono::duration<double>(*seconds);
  }
}

void heed_questions(int argc, char** argv) {
  constexpr std::string_view questions[] = {
      "--help", "-h", "-?", "--version", "--list-schemes", "--list-styles", "--describe-step"};
  const bool asks = argc < 2 || std::any_of(argv + 1, argv + argc, [&](std::string_view word) {
                      return std::ranges::find(questions, word) != std::end(questions);
                    });
  if (asks) setenv("HALOCLINE_ALONE", "1", 0);
}

int run(const Make& make, const char* name, int argc, char** argv) {
  try {
    return carry_out(make, name, argc, argv);
  } catch (const Told::Refused&) {
    return EXIT_FAILURE;
  }
}

}  // namespace frame
