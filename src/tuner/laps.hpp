#pragma once
// Laps: real steps of a program. A few of them use another scheme or choice than the rest, to see
// whether they become shorter. LapContest decides what is tried when; here are clocks and MPI.

#include "lap_contest.hpp"
#include "mpi/under_way.hpp"

#include <halocline/more/channel.hpp>
#include <halocline/more/section.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)  // halocline::style has it, too

namespace halocline::detail {

/// What laps choose: the scheme of an exchange, or a choice of the program's own.
class Choosable {
 public:
  /// Laps know from then on that it is not there.
  virtual ~Choosable() { leaves(); }
  virtual std::size_t options() const = 0;
  virtual std::string option(std::size_t number) const = 0;
  /// What would be used had nothing been tried; none if that may not be used.
  virtual std::optional<std::size_t> yardstick() const { return 0; }
  /// The same for exchanges of the same work, which a section lets use the same option; empty: like
  /// no other.
  virtual std::string likeness() const { return {}; }
  /// What is no option, and why not.
  virtual std::vector<Section::Tried> left_out() const { return {}; }
  /// Seconds that making another option ready may take, before any has been; on all ranks alike. 0:
  /// next to none, ever.
  virtual double set_up() const { return 0; }
  /// Makes it ready to use. Collective. Why it cannot be used, on all ranks alike, or nothing.
  virtual std::string prepare(std::size_t number) { return static_cast<void>(number), ""; }
  virtual void use(std::size_t number) = 0;
  /// It has lost, and no rank uses it now: what it holds ends. Collective. If it is tried once more
  /// it is prepared anew. False where it is still in use here.
  virtual bool dismiss(std::size_t number) { return static_cast<void>(number), true; }
  /// Laps end: what was used last but is no choice is no longer said to be in use.
  virtual void settle() {}
  /// Something is under way, so that it cannot be changed now.
  virtual bool busy() const noexcept { return false; }
  /// What is known of an option: how many times as long as option 0, 0 if that is not known; and
  /// why it is not tried, if it is not.
  struct Prior {
    double times = 0;
    std::string why_not{};
  };
  virtual Prior prior(std::size_t number) const { return static_cast<void>(number), Prior{}; }
  /// Laps begin with what it uses now, its option 0.
  virtual void begins() {}
  /// The first laps with it have brought no harm.
  virtual void survived(std::size_t number) { static_cast<void>(number); }
  /// What laps have found of its options until now, or at their end, which it may keep for later
  /// runs. Does not take long unless it is the end.
  virtual void conclude(const Section::Findings& laps, const Section::Chosen& mine, bool end) {
    static_cast<void>(laps), static_cast<void>(mine), static_cast<void>(end);
  }
  /// Calls this before it ends, if that is before its laps do.
  void on_leaving(std::function<void()> act) { on_leaving_ = std::move(act); }

  /// Adds options that are worth a try once `number` has won; how many. Collective.
  virtual std::size_t more(std::size_t number) { return static_cast<void>(number), 0; }

 protected:
  void leaves() noexcept {
    if (const auto act = std::exchange(on_leaving_, nullptr)) act();
  }

 private:
  std::function<void()> on_leaving_;
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

  /// The same of what each rank brings by itself, said in words. It is added when all ranks are
  /// known to have proposed the same.
  void propose(const std::shared_ptr<Choosable>& choosable, std::string words);
  /// Before a lap begins, on all ranks or none: after 0, 1, 2, 4, 8, ... laps what has been
  /// proposed by then is compared, and a lap later it is known. Throws the same Error on all ranks
  /// if it is not the same.
  void compare_proposals();

  /// Throws Error if a lap or a step of a member is under way.
  void must_be_at_rest() const;
  void begin();
  /// `work`: as much as this lap had to do, in the caller's units, on all ranks alike.
  void end(double work) noexcept;
  bool open() const noexcept { return open_; }
  /// What they have found is kept now, and no more of it later.
  void conclude() noexcept;

  const LapContest* contest() const noexcept { return contest_ ? &*contest_ : nullptr; }
  std::size_t members() const noexcept { return members_.size(); }
  std::shared_ptr<Choosable> member(std::size_t number) const {
    return members_[number].shared.lock();
  }
  /// The option that a member has in nearly all laps.
  std::size_t used_by(std::size_t member) const { return assignment_[member]; }
  /// Whether a lap of an option that lost, or was to be tried, has begun.
  bool has_tried(std::size_t member) const {
    return std::ranges::any_of(
        changes_, [member](const Change& one) { return one.member == member && one.laps > 0; });
  }
  long made() const noexcept { return made_; }
  Section::Findings findings() const;
  /// The same in lines of text.
  std::string report() const;

 private:
  using Clock = std::chrono::steady_clock;
  using Assignment = std::vector<std::size_t>;
  static constexpr const char* in_use = "in use";
  /// Whose option an entrant is; entrant 0 is what they began with.
  struct Change {
    std::size_t member = 0, option = 0;
    /// Times as long as what its member used after so many successions.
    base::Interval times{};
    std::size_t successions = 0;
    std::size_t looks = 0;  ///< LapContest::Entrant::looks, then
    bool known = false;     ///< from earlier runs, and not tried in this one
    bool ready = false;     ///< it is prepared
    long laps = 0;          ///< that it has begun
  };

  static constexpr int turns_to_survive = 3;
  struct Proposal {
    std::shared_ptr<Choosable> choosable;
    std::string words;
  };
  struct Member {
    std::weak_ptr<Choosable> shared;
    Choosable* here;  ///< the same, for looks in each lap, which a lock would make long; or null
    double set_up;    ///< seconds that making another option ready may take: the longest so far
    int unproven = turns_to_survive;  ///< that it still has to make with option 0
  };

  void start();
  void turn();
  void next_batch();
  void expect_same_proposals();
  void hear();
  void expect_set_ups();
  void dismiss_losers(bool decided);
  void take(const Assignment& wanted, std::size_t entrant);
  void begin_with(std::size_t member);
  void enter(std::size_t member, std::size_t first);
  Section::Times times(const Change& change) const;
  Section::Chosen chosen(std::size_t member, const Choosable& who) const;
  Section::Findings totals() const;
  void conclude(std::size_t member, bool end) noexcept;
  void rest(std::size_t member) noexcept;

  const methods::Channel& channel_;
  std::string name_;
  LapContest::Rules rules_;
  std::optional<LapContest> contest_;
  std::vector<Member> members_;
  std::vector<Change> changes_;                           // by entrants
  std::vector<std::vector<base::Interval>> successions_;  // by members: times as long as the last
  Assignment assignment_, in_use_;                        // by members
  std::vector<Assignment> explored_;  // whose further options have been asked for

  bool was_decided_ = false;

  std::vector<LapContest::Turn> turns_;
  std::vector<Assignment> plans_;  // by turns
  std::vector<double> times_;
  std::size_t turn_ = 0;
  int left_ = 0, warm_ = 0;
  double seconds_ = 0, work_ = 0;
  // What laps took is told as of one of usual work, the mean of the first ones: in seconds, as what
  // trying may cost.
  double worked_ = 0, unit_ = 0;
  std::optional<Pending<std::vector<double>>> told_;
  std::optional<std::size_t> told_of_;  // the entrant that met the leader in these
  // The member of which an option was made ready in this batch, and in that which is told.
  std::optional<std::size_t> set_up_, told_set_up_;
  std::vector<Proposal> proposed_;
  std::optional<Pending<std::vector<std::int64_t>>> compared_;
  std::size_t compared_of_ = 0, agreed_ = 0;  // so many of the proposed
  std::string differ_;                        // what they differ in
  double preparing_ = 0, prepared_ = 0;       // seconds, with files: of this batch, of all told
  Clock::time_point begin_{};
  bool open_ = false, concluded_ = false;
  long made_ = 0;
};

}  // namespace halocline::detail

#pragma GCC visibility pop
