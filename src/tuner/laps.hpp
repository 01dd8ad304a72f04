#pragma once
// Laps: real steps of a program, in some of which something else is used than in most, to see
// whether they become shorter. What is tried when is LapContest's; here are clocks and MPI.

#include "lap_contest.hpp"
#include "mpi/under_way.hpp"

#include <halocline/more/channel.hpp>

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)  // halocline::style has it, too

namespace halocline::detail {

/// What laps choose: the scheme of an exchange, or a choice of the program's own.
class Choosable {
 public:
  virtual ~Choosable() = default;
  virtual std::size_t options() const = 0;
  virtual std::string option(std::size_t number) const = 0;
  /// Makes it ready to use. Collective. Why it cannot be used, on all ranks alike, or nothing.
  virtual std::string prepare(std::size_t number) { return static_cast<void>(number), ""; }
  virtual void use(std::size_t number) = 0;
  /// Something is under way, so that it cannot be changed now.
  virtual bool busy() const noexcept { return false; }
  /// Adds options that are worth a try once `number` has won; how many. Collective.
  virtual std::size_t more(std::size_t number) { return static_cast<void>(number), 0; }
};

/// One lap after the other. All ranks of the communicator make the same laps; no rank waits for
/// others but for those times that were due a batch of laps ago.
class Laps {
 public:
  /// `channel` outlives it.
  Laps(const methods::Channel& channel, std::string name, LapContest::Rules rules);
  ~Laps();
  Laps(const Laps&) = delete;
  Laps& operator=(const Laps&) = delete;

  /// It is in use with its option 0.
  void add(const std::shared_ptr<Choosable>& choosable);

  /// Throws Error if a lap or a step of a member is under way.
  void must_be_at_rest() const;
  void begin();
  /// `work`: as much as this lap had to do, in the caller's units, on all ranks alike.
  void end(double work) noexcept;
  /// Its time counts for nothing; it was no whole lap.
  void abandon() noexcept { open_ = false; }
  bool open() const noexcept { return open_; }

  const LapContest* contest() const noexcept { return contest_ ? &*contest_ : nullptr; }
  std::size_t members() const noexcept { return members_.size(); }
  std::shared_ptr<Choosable> member(std::size_t number) const { return members_[number].lock(); }
  /// The option that a member has in nearly all laps.
  std::size_t used_by(std::size_t member) const { return assignment_[member]; }
  long made() const noexcept { return made_; }
  /// What was found, in lines of text.
  std::string report() const;

 private:
  using Clock = std::chrono::steady_clock;
  using Assignment = std::vector<std::size_t>;
  static constexpr const char* in_use = "in use";
  /// Whose option an entrant is; entrant 0 is what they began with.
  struct Change {
    std::size_t member = 0, option = 0;
  };

  void start();
  void turn();
  void next_batch();
  void hear();
  void take(const Assignment& wanted, std::size_t entrant);
  void enter(std::size_t member, std::size_t first);

  const methods::Channel& channel_;
  std::string name_;
  LapContest::Rules rules_;
  std::optional<LapContest> contest_;
  std::vector<std::weak_ptr<Choosable>> members_;
  std::vector<Change> changes_;       // by entrants
  Assignment assignment_, in_use_;    // by members
  std::vector<Assignment> explored_;  // whose further options have been asked for

  std::vector<LapContest::Turn> turns_;
  std::vector<Assignment> plans_;  // by turns
  std::vector<double> times_;
  std::size_t turn_ = 0;
  int left_ = 0, warm_ = 0;
  double seconds_ = 0, work_ = 0;
  std::optional<Pending<std::vector<double>>> told_;
  Clock::time_point begin_{};
  bool open_ = false;
  long made_ = 0;
};

}  // namespace halocline::detail

#pragma GCC visibility pop
