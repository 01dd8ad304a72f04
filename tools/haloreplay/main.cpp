// haloreplay: carries out the exchanges of a plan as the recorded program does them, as plain MPI
// could, and through Halocline's schemes, and measures what each adds to a step.

#include "computing.hpp"
#include "measure.hpp"
#include "report.hpp"

#include <base/text.hpp>
#include <base/whole_file.hpp>
#include <frame/arguments.hpp>
#include <frame/program.hpp>
#include <frame/record.hpp>
#include <frame/refusal.hpp>
#include <machine/pinning.hpp>

#include <halocline/more/mpi.hpp>
#include <halocline/more/tuner.hpp>
#include <halocline/wait.hpp>

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <thread>

namespace {

using namespace haloreplay;
using namespace halocline;
using nlohmann::json;
using nlohmann::ordered_json;

struct Options {
  std::string plan, output, threads = "funneled";
  bool resume = false;
};

bool is_root() {
  return mpi::rank(world()) == 0;
}

void declare(frame::Arguments& app, Options& options) {
  app.option("plan", options.plan, "what to replay: see docs/reference/replay.md").required();
  app.option("--output", options.output, "where the results go").required();
  app.flag("--resume", options.resume,
           "go on with what an earlier launch of the same plan has left in the output");
  app.option("--threads", options.threads, "what the recorded program asks of MPI")
      .one_of({"single", "funneled", "serialized", "multiple"})
      .shows_default();
}

std::string content_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  in.peek();  // a folder can be opened, too
  if (!in.is_open() || in.bad()) throw Error(file + ": " + std::strerror(errno));
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Tells the next launch, if this one ends in it, what was tried last.
class Now {
 public:
  explicit Now(const std::string& output) : file_(output + ".now") {}
  ~Now() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Now(const Now&) = delete;
  Now& operator=(const Now&) = delete;

  const std::string& file() const noexcept { return file_; }
  void say(const std::string& pattern, const std::string& contender) {
    if (descriptor_ < 0)
      descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (descriptor_ < 0) return;
    // Spaces at the end: it has one length, and is never half there.
    std::string line = json{{"pattern", pattern}, {"contender", contender}}.dump(
        -1, ' ', false, json::error_handler_t::replace);
    longest_ = std::max(longest_, line.size());
    line.resize(longest_, ' ');
    line += '\n';
    [[maybe_unused]] const auto written = ::pwrite(descriptor_, line.data(), line.size(), 0);
  }
  void forget() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
    std::remove(file_.c_str());
  }

 private:
  std::string file_;
  int descriptor_ = -1;
  std::size_t longest_ = 0;
};

/// What earlier launches of the plan have left; on rank 0.
struct Earlier {
  ordered_json patterns = ordered_json::array();
  ordered_json out = ordered_json::array();  ///< pattern, contender, why

  bool has(const std::string& pattern) const {
    for (const ordered_json& one : patterns)
      if (one.at("name") == pattern) return true;
    return false;
  }
};

Earlier earlier(const Options& options, const Now& now, const std::string& plan_checksum) {
  Earlier found;
  if (!options.resume) return found;
  if (std::filesystem::exists(options.output)) {
    try {
      const ordered_json content = ordered_json::parse(content_of(options.output));
      if (content.at("format") != "halocline-replay" ||
          content.at("parameters").at("plan") != plan_checksum)
        throw Error("");
      found.patterns = content.at("patterns");
      found.out = content.at("out");
    } catch (const std::exception&) {
      throw Error("--resume: " + options.output +
                  ": holds no results of this plan; leave --resume out, or name another file");
    }
  }
  if (std::filesystem::exists(now.file())) {
    const json last = json::parse(content_of(now.file()), nullptr, false);
    if (last.is_object() && last.contains("contender"))
      found.out.push_back({{"pattern", last.at("pattern")},
                           {"contender", last.at("contender")},
                           {"why",
                            "an earlier launch ended in it: it crashed, or a call of MPI "
                            "did not return within the limit"}});
  }
  return found;
}

std::string checksum_of(const std::string& text) {
  std::uint64_t sum = 1469598103934665603u;  // FNV-1a
  for (const char letter : text) sum = (sum ^ static_cast<unsigned char>(letter)) * 1099511628211u;
  return base::formatted("%016llx", static_cast<unsigned long long>(sum));
}

/// All patterns that are not there yet; the file is whole after each.
void replay_all(const Plan& plan, const std::string& text, const Options& options) {
  std::vector<Traffic> traffic;
  for (std::size_t i = 0; i < plan.patterns.size(); ++i)
    traffic.push_back(traffic_of(plan.patterns[i], plan.seed,
                                 options.plan + ": patterns[" + std::to_string(i) + "]"));

  Now now(options.output);
  Earlier before;
  mpi::together(world(), [&] {
    if (!is_root()) return;
    base::check_file({"--output", options.output});
    before = earlier(options, now, checksum_of(text));
  });
  const json known = json::parse(mpi::from_root(
      world(), base::json_text(json{{"patterns", before.patterns}, {"out", before.out}})));

  frame::Record record;
  record.program = "haloreplay";
  record.arguments = {options.plan, "--output", options.output, "--threads", options.threads};
  record.pinning = machine::place_threads(world(), 1, machine::Pin::off, "haloreplay");
  record.parameters = {{"plan", checksum_of(text)}, {"budget", plan.budget},
                       {"limit", plan.limit},       {"seed", plan.seed},
                       {"width", plan.width},       {"longest", plan.longest},
                       {"rounds", plan.rounds}};
  ordered_json content = frame::head(world(), "halocline-replay", record);
  content["complete"] = false;
  content["out"] = before.out;
  content["patterns"] = before.patterns;
  const auto save = [&] {
    mpi::together(world(), [&] {
      if (is_root())
        base::write_whole("--output", options.output, base::json_text(content, 1) + "\n");
    });
  };
  save();
  if (is_root()) now.forget();

  const auto is_there = [&](const PlannedPattern& pattern) {
    return std::ranges::any_of(known.at("patterns"),
                               [&](const json& one) { return one.at("name") == pattern.name; });
  };
  Circumstances all{.limit = plan.limit,
                    .width = plan.width,
                    .longest = plan.longest,
                    .rounds = plan.rounds,
                    .seed = plan.seed,
                    .a_sum = seconds_of_a_sum(world())};
  double weights = 0, left = plan.budget;
  for (const PlannedPattern& pattern : plan.patterns)
    if (!is_there(pattern)) weights += pattern.weight;
  bool abandoned = false;
  for (std::size_t i = 0; i < plan.patterns.size(); ++i) {
    const PlannedPattern& pattern = plan.patterns[i];
    if (is_there(pattern)) continue;
    all.seconds = weights > 0 ? left * pattern.weight / weights : 0;
    all.out.clear();
    for (const json& one : known.at("out"))
      if (one.at("pattern") == pattern.name) all.out[one.at("contender")] = one.at("why");
    if (is_root())
      all.now = [&](const std::string& contender) { now.say(pattern.name, contender); };
    const Replayed replayed = replay(pattern, traffic[i], all, abandoned);
    weights -= pattern.weight, left = std::max(0.0, left - replayed.seconds);
    if (is_root()) print(std::cout, replayed);
    content["patterns"].push_back(as_json(replayed));
    if (is_root()) now.forget();
    if (i + 1 < plan.patterns.size()) save();
  }
  content["complete"] = true;
  save();
  if (!abandoned) return;
  // A rank that was left in the middle of something may keep MPI from ending.
  std::cout.flush();
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::seconds(5));
    std::_Exit(EXIT_SUCCESS);
  }).detach();
}

int refuse(const std::string& why) {
  if (is_root()) std::cerr << frame::refusal("haloreplay", why) << '\n';
  return EXIT_FAILURE;
}

int run(int argc, char** argv) {
  Options options;
  frame::Arguments app("Replays exchanges that a recording has found, in all ways that there are.");
  declare(app, options);
  try {
    if (const std::string help = app.parse(argc, argv); !help.empty()) {
      if (is_root()) std::cout << help;
      return EXIT_SUCCESS;
    }
  } catch (const frame::WrongArguments& problem) {
    return refuse(problem.what());
  }
  Tuning::current().remark = &print_remark;
  Patience::current().remedy = "the plan's limit";
  try {
    std::string text;
    mpi::together(world(), [&] {
      if (!is_root()) return;
      text = content_of(options.plan);
      const Plan plan = read_plan(text, options.plan);
      if (plan.ranks != mpi::size(world()))
        throw Error(options.plan + ": is for " + std::to_string(plan.ranks) +
                    " ranks: must be launched on as many, not on " +
                    std::to_string(mpi::size(world())));
      for (std::size_t i = 0; i < plan.patterns.size(); ++i)
        traffic_of(plan.patterns[i], plan.seed,
                   options.plan + ": patterns[" + std::to_string(i) + "]");
    });
    text = mpi::from_root(world(), std::move(text));
    replay_all(read_plan(text, options.plan), text, options);
  } catch (const mpi::CallFailed&) {
    throw;
  } catch (const Timeout&) {
    throw;
  } catch (const Error& problem) {
    return refuse(problem.what());
  }
  return EXIT_SUCCESS;
}

int thread_level(int argc, char** argv) {
  // MPI begins before the words are read.
  const std::pair<std::string, int> levels[] = {{"single", MPI_THREAD_SINGLE},
                                                {"serialized", MPI_THREAD_SERIALIZED},
                                                {"multiple", MPI_THREAD_MULTIPLE}};
  for (int i = 1; i < argc; ++i)
    for (const auto& [word, level] : levels)
      if ((argv[i] == word && argv[i - 1] == std::string("--threads")) ||
          argv[i] == "--threads=" + word)
        return level;
  return MPI_THREAD_FUNNELED;
}

}  // namespace

int main(int argc, char** argv) {
  Patience::current().timeout = std::chrono::seconds(60);
  frame::heed_questions(argc, argv);
  return guarded_main(argc, argv, "haloreplay", run, thread_level(argc, argv));
}
