#include "checkpoints.hpp"

#include "program.hpp"

#include <halocline/more/waiting.hpp>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <iostream>

namespace frame {

using namespace halocline;
using nlohmann::ordered_json;

namespace {

/// What a rank wishes: nothing, a state, or from here on the end, by a signal.
constexpr std::int64_t nothing = 0, a_state = 1, the_end = 2;

constexpr int heeded[] = {SIGTERM, SIGUSR1};
volatile std::sig_atomic_t caught = 0;

extern "C" void note_signal(int number) {
  caught = number;
}

/// For the rest of the process: while MPI ends, too, a second signal must not spoil the code.
void heed_signals() {
  struct sigaction how {};
  how.sa_handler = note_signal;
  how.sa_flags = SA_RESTART;
  for (const int number : heeded) sigaction(number, &how, nullptr);
}

const char* signal_name(int number) {
  return number == SIGTERM ? "SIGTERM" : "SIGUSR1";
}

/// The state under a name, or where that is missing or damaged the former one.
std::unique_ptr<StateFile> newest(const std::string& file, const std::string& program) {
  const std::string option = "--restart", previous = previous_state(file);
  try {
    return std::make_unique<StateFile>(world(), option, file, program);
  } catch (const NoState& problem) {
    std::unique_ptr<StateFile> found;
    try {
      found = std::make_unique<StateFile>(world(), option, previous, program);
    } catch (const NoState&) {
      throw problem;
    } catch (const Error& also) {
      throw Error(std::string(problem.what()) + "; nor does the one before do: " + also.what());
    }
    if (mpi::rank(world()) == 0)
      std::cerr << program << ": warning: " << problem.what() << "; going on from " << previous
                << '\n';
    return found;
  }
}

}  // namespace

Checkpoints::Checkpoints(std::string program, std::string step)
    : program_(std::move(program)), step_(std::move(step)) {}

Checkpoints::~Checkpoints() {
  // MPI may still write to it.
  if (request_ != MPI_REQUEST_NULL) static_cast<void>(words_.release());
}

void Checkpoints::declare(CommandLine& line) {
  line.section(results);
  line.option("--checkpoint F",
              "keep the state in F from time to time and at the end, for --restart; SIGUSR1 and "
              "SIGTERM then keep it and end the run with code 75",
              [this](const Value& value) { file_ = value.file(); });
  line.option("--every T", "write --checkpoint every T minutes (10), or 30s, 10m, 2h, or 500steps",
              [this](const Value& value) { take_every(value); });
  if (!restart_declared_)
    declare_restart(line,
                    "go on from a checkpoint of the same problem, on any ranks, by any scheme", {});
}

void Checkpoints::declare_restart(CommandLine& line, std::string help,
                                  std::function<void(const StateFile&)> take) {
  restart_declared_ = true;
  line.option("--restart F", std::move(help), [this, take = std::move(take)](const Value& value) {
    restart_ = value.file();
    start_ = newest(restart_, program_);
    if (take) take(*start_);
  });
}

void Checkpoints::take_every(const Value& value) {
  constexpr const char* right = "minutes above 0, or such as 30s, 10m, 2h or 500steps";
  std::string_view text = value.text;
  const auto ends = [&](std::string_view unit) {
    if (!text.ends_with(unit)) return false;
    text.remove_suffix(unit.size());
    return true;
  };
  every_named_ = true;
  every_steps_ = 0;
  if (ends("steps")) {
    const auto steps = number<std::int64_t>(text);
    if (!steps || *steps < 1) value.refuse(right);
    every_steps_ = *steps;
    return;
  }
  double unit = 60;
  if (ends("s"))
    unit = 1;
  else if (ends("h"))
    unit = 3600;
  else
    ends("m");
  const auto times = number<double>(text);
  if (!times || !(*times > 0)) value.refuse(right);
  every_seconds_ = *times * unit;
}

std::string Checkpoints::given() const {
  return wanted() ? "--checkpoint" : start_ ? "--restart" : "";
}

void Checkpoints::settle(const Options& options, ordered_json settings) {
  settings_ = std::move(settings);
  // There the solutions take turns.
  only_with(!wanted() || options.in_turn.empty(), "--checkpoint", "runs without --in-turn");
  only_with(!wanted() || options.repetitions == 1, "--checkpoint",
            "a single solution, without --repetitions");
  only_with(wanted() || !every_named_, "--every", "--checkpoint");
  if (start_)
    for (const auto& [name, value] : settings_.items()) {
      const ordered_json& all = start_->head().settings;
      const ordered_json there = all.contains(name) ? all.at(name) : ordered_json();
      if (there != value)
        throw Error("--restart " + start_->file() + ": its " + name + " is " + there.dump() +
                    ", but here it is " + value.dump());
    }
  if (!wanted()) return;
  // Not where the name itself is taken by a damaged state: the former one has to stay.
  bool damaged =
      start_ && start_->file() != restart_ && previous_state(file_) == previous_state(restart_);
  mpi::together(world(), [&] {
    if (mpi::rank(world()) != 0) return;
    const std::string previous = previous_state(file_);
    base::check_file({"--checkpoint", previous, base::Writing::by_name});
    try {
      check_replaceable("--checkpoint", previous, program_);
    } catch (const NoState&) {
      // A former state that is damaged is of no use.
    }
    try {
      check_replaceable("--checkpoint", file_, program_);
    } catch (const NoState&) {
      damaged = true;
    }
  });
  old_is_damaged_ = mpi::from_root(world(), damaged ? "damaged" : "") == "damaged";
  heed_signals();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that must not grow is an error like any other
}

std::vector<base::Planned> Checkpoints::files() const {
  if (!wanted()) return {};
  return {{"--checkpoint", file_, base::Writing::shared},
          {"--checkpoint", previous_state(file_), base::Writing::by_name}};
}

// ---- when ----------------------------------------

void Checkpoints::begin(MPI_Comm comm, std::int64_t step, std::int64_t apart) {
  if (!wanted()) return;
  comm_ = mpi::Comm::duplicate(comm);
  apart_ = apart;
  last_ = step;
  saved_ = asked_ = Clock::now();
  calls_ = left_ = apart_;
  words_ = std::make_unique<Words>();
  ask();
}

/// Tells the other ranks what I wish. `hear` has the answer later, when all have come here.
void Checkpoints::ask() {
  Words& words = *words_;
  words = {nothing, 0};
  const auto now = Clock::now();
  if (root()) {
    if (every_steps_ == 0 && std::chrono::duration<double>(now - saved_).count() >= every_seconds_)
      words.wish = a_state;
    // Often enough for a signal, too seldom to be felt.
    constexpr double seldom = 0.05, often = 0.2;
    const double took = std::chrono::duration<double>(now - asked_).count();
    words.calls = took < seldom ? 2 * calls_ : took > often ? calls_ / 2 : calls_;
    words.calls = std::clamp<std::int64_t>(words.calls, apart_, std::int64_t{1} << 30);
  }
  asked_ = now;
  if (const int number = caught; number != 0) words.wish = the_end + number;
  HALOCLINE_MPI(MPI_Iallreduce, MPI_IN_PLACE, words_.get(), 2, MPI_INT64_T, MPI_MAX, comm_,
                &request_);
}

void Checkpoints::hear() {
  wait_one("checkpoint: what the other ranks wish", request_);
  wish_ = words_->wish;
  calls_ = left_ = words_->calls;
}

bool Checkpoints::due(std::int64_t step) {
  if (!wanted()) return false;
  if (request_ != MPI_REQUEST_NULL && --left_ <= 0) {
    hear();
    if (wish_ == nothing) ask();  // else when that has been done
  }
  if (every_steps_ > 0 && step / every_steps_ > last_ / every_steps_) return true;
  return wish_ != nothing;
}

// ---- what ----------------------------------------

std::string Checkpoints::newest_good() const {
  if (kept_ >= 0) return "the newest good state is of " + step_ + ' ' + std::to_string(kept_);
  return "this run has kept no state yet";
}

std::string Checkpoints::keep(std::int64_t step, ordered_json progress,
                              std::span<const Share> shares) {
  ordered_json all;
  all[step_] = step;
  all.update(progress);
  unkept_.clear();
  try {
    write_state(comm_, "--checkpoint", file_, {program_, settings_, std::move(all)}, shares,
                !old_is_damaged_);
    kept_ = step;
    old_is_damaged_ = false;
  } catch (const Error& problem) {
    unkept_ = problem.what();
  }
  last_ = step;
  saved_ = Clock::now();
  return unkept_;
}

bool Checkpoints::save(std::int64_t step, ordered_json progress, std::span<const Share> shares) {
  const std::string problem = keep(step, std::move(progress), shares);
  const std::int64_t wish = std::exchange(wish_, nothing);
  if (wish >= the_end) {
    if (!problem.empty()) throw Error(problem + "; " + newest_good());
    ended_ = std::string(signal_name(static_cast<int>(wish - the_end))) + " has ended it after " +
             step_ + ' ' + std::to_string(step) + "; --restart " + file_ + " goes on from there";
    return false;
  }
  if (!problem.empty() && root())
    std::cerr << program_ << ": warning: " << problem << "; the run goes on, " << newest_good()
              << '\n';
  if (request_ == MPI_REQUEST_NULL) ask();
  return true;
}

void Checkpoints::finish(std::int64_t step, ordered_json progress, std::span<const Share> shares) {
  if (!wanted() || !ended_.empty()) return;
  if (request_ != MPI_REQUEST_NULL) wait_one("checkpoint: the other ranks", request_);
  keep(step, std::move(progress), shares);
}

void Checkpoints::check_kept() const {
  if (!wanted()) return;
  mpi::agree(world(), unkept_.empty() ? ""
                                      : unkept_ +
                                            "; the result is complete, but its state is not "
                                            "kept; " +
                                            newest_good());
}

}  // namespace frame
