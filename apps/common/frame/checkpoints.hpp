#pragma once
// When a run keeps its state in a file, and from which it goes on: the options --checkpoint,
// --every and --restart, signals that end a run early, and what happens where a state cannot be
// written.

#include "command_line.hpp"
#include "state_file.hpp"

#include <base/whole_file.hpp>

#include <halocline/more/mpi.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace frame {

struct Options;

/// The code of a run that has ended early, but goes on when it is started again (EX_TEMPFAIL).
constexpr int goes_on_later = 75;

class Checkpoints {
 public:
  /// For a program, with its own word for a step.
  Checkpoints(std::string program, std::string step);
  ~Checkpoints();
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  // ---- what the user wants

  /// All options that have not been declared yet.
  void declare(CommandLine& line);
  /// --restart alone, for a program that builds other values on the state's.
  void declare_restart(CommandLine& line, std::string help,
                       std::function<void(const StateFile&)> take);
  /// As --every N steps.
  void every(std::int64_t steps) { every_steps_ = steps; }

  /// `settings`: what a state must have that the run goes on from. Signals are heeded from here on.
  /// Throws Error on all ranks where settings differ or options do not go together.
  void settle(const Options& options, nlohmann::ordered_json settings);
  std::vector<halocline::base::Planned> files() const;

  bool wanted() const noexcept { return !file_.empty(); }
  /// The option that was given, --checkpoint or --restart; empty: neither.
  std::string given() const;
  /// The state that the run goes on from; null: it begins.
  const StateFile* restart() const noexcept { return start_.get(); }

  // ---- while it goes on: nothing costs anything unless a file is wanted

  /// The steps of these ranks begin after `step`. `apart`: so many calls of `due` may lie between
  /// the first rank and the last. Collective.
  void begin(MPI_Comm comm, std::int64_t step, std::int64_t apart = 1);
  /// Whether to save the state now, on all ranks after the same step. To be called equally often by
  /// all ranks. It asks them in the background what time it is and whether a signal has come, about
  /// ten times a second.
  bool due(std::int64_t step);
  /// Keeps the state after a step; false: the run has to end here. Where the state cannot be kept,
  /// says so, and the run goes on; if it has to end, throws Error. Of `progress` rank 0's counts.
  /// Collective.
  [[nodiscard]] bool save(std::int64_t step, nlohmann::ordered_json progress,
                          std::span<const Share> shares);
  /// Keeps the state at the end, unless the run has ended before. Collective.
  void finish(std::int64_t step, nlohmann::ordered_json progress, std::span<const Share> shares);
  /// What has ended the run early, on the ranks that have taken part; else empty.
  const std::string& ended() const noexcept { return ended_; }
  /// When the run has told its results. Throws Error on all ranks if the state at the end could not
  /// be kept. Collective over the world.
  void check_kept() const;

 private:
  using Clock = std::chrono::steady_clock;
  void take_every(const Value& value);
  void ask();
  void hear();
  /// The reason why it could not be kept; empty: it is.
  std::string keep(std::int64_t step, nlohmann::ordered_json progress,
                   std::span<const Share> shares);
  std::string newest_good() const;
  bool root() const { return halocline::mpi::rank(comm_) == 0; }

  std::string program_, step_;
  std::string file_, restart_;
  bool every_named_ = false, restart_declared_ = false;
  double every_seconds_ = 600;
  std::int64_t every_steps_ = 0;  ///< 0: by time
  std::function<void(const StateFile&)> take_;
  std::unique_ptr<StateFile> start_;
  nlohmann::ordered_json settings_;

  halocline::mpi::Comm comm_;
  std::int64_t apart_ = 1;
  std::int64_t last_ = 0;        ///< step of the newest attempt
  std::int64_t kept_ = -1;       ///< step of the newest good state of this run; -1: none
  bool old_is_damaged_ = false;  ///< what has the file's name
  std::string ended_;
  std::string unkept_;  ///< why the newest attempt has failed
  Clock::time_point saved_, asked_;

  /// What ranks tell each other: the most urgent wish, and how many calls of `due` there are from
  /// one answer to the next.
  struct Words {
    std::int64_t wish, calls;
  };
  std::unique_ptr<Words> words_;  ///< under way
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::int64_t wish_ = 0, calls_ = 1, left_ = 0;
};

}  // namespace frame
