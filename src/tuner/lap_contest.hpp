#pragma once
// Which of several ways is the fastest, found on laps that are made anyway, at a bounded cost.
// Knows neither MPI nor clocks, so that a simulation can drive it: all ranks give theirs the same
// seconds, and so come to the same end. (Whatever their nodes' libm: nothing here is left to it
// that IEEE 754 does not round in one way.)

#include "base/median.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)  // halocline::style has it, too

namespace halocline::detail {

/// A leader makes the laps, and now and then another makes a few beside as many of the leader's, a
/// bout; chance says who is the first. Only its quotient counts, of neighbours in time, so that a
/// machine that is slower for a while is slower for both. What is assumed: that a lap has as much
/// work as the next, but for noise, or as the one some laps later. `likeness` says where laps do
/// not look so. Long laps among others make claims rarer, not wrong. (A program that brackets a
/// section of its own, in which a library chooses: ADCL; E. Gabriel, S. Huang, "Runtime
/// optimization of application level communication patterns", IPDPS 2007,
/// doi:10.1109/IPDPS.2007.370406. It keeps means and has no intervals.)
///
/// Looks at the same samples again and again share one chance of error, as 1/(k (k + 1)) of it for
/// the kth, so that claims hold however long it goes on. What bouts cost stays below a share of
/// what all laps took. Once it is decided only the leader makes laps; when theirs take longer or
/// shorter than they did, for long, there is another contest, and of those that change nothing each
/// comes later.
class LapContest {
 public:
  struct Rules {
    double regret = 0.01;    ///< the share of all laps' time that trying may cost
    double alike = 0.01;     ///< differences that do not matter
    double error = 0.05;     ///< the chance that one is called faster that is not
    double hopeless = 3;     ///< times as long as the leader: out at first sight
    double turn_s = 100e-6;  ///< the shortest that is timed, after one lap that is not
    double window_s = 0.25;  ///< of laps that are looked at for drift
    double drift = 0.1;      ///< a change that matters, as a share
  };
  /// `warm` laps that are not timed and `laps` that are.
  struct Turn {
    std::size_t entrant = 0;
    int warm = 0, laps = 0;
  };
  static constexpr std::size_t never = static_cast<std::size_t>(-1);
  enum class State { waits, runs, leads, out };
  struct Entrant {
    std::string name;
    double guess;  ///< times as long as the first leader, by what is known of others; 0: unknown
    std::size_t of = 0;  ///< which of several things it is a choice of
    State state = State::waits;
    std::string why{};                  ///< it is out
    std::vector<double> quotients{};    ///< of its laps to this leader's, a bout each, sorted
    std::vector<double> differences{};  ///< of the same, in seconds
    double median = 0;                  ///< of the quotients
    std::size_t looks = 0, next_look = 2;
    std::size_t least = 0;       ///< bouts, before it may be out
    std::size_t judged = never;  ///< last, after so many changes of things
    bool unseen = false;         ///< what replaced it was not looked at for long
    int confirmations = 0;       ///< how often it was asked again because another thing has changed
    double cost = 0;             ///< seconds that its turns took more than the leader's
    double set_up = 0;           ///< seconds that it is expected to take before its next turn

    /// Bouts against another leader, or of another time.
    void forget() {
      quotients.clear(), differences.clear();
      looks = 0, next_look = 2;
    }
  };

  /// The first leads.
  LapContest(std::vector<std::string> names, Rules rules);

  /// Another one, who is expected to take `guess` times as long as the leader. Where several things
  /// are chosen, each entrant is a change of one: they are chosen one after the other, and who was
  /// out before another thing changed is asked once more, twice at most. (Two changes that help
  /// only together are not found.)
  void enter(std::string name, double guess = 0, std::size_t of = 0);
  /// It is tried only when the budget has so many seconds for it besides: it must be set up. 0: it
  /// is. What that takes in the end is `spent`.
  void expect_set_up(std::size_t entrant, double seconds) { entrants_[entrant].set_up = seconds; }
  /// It cannot: it refused, or delivered something else.
  void leave_out(std::size_t entrant, std::string why);

  /// One that is out, as if it had never met a leader.
  void try_again(std::size_t entrant);

  /// Where entrants are changes of one thing among several: what the new leader has changed was
  /// this before, and it is this that stands for the last leader from now on.
  void has_replaced(std::size_t entrant);

  /// The next turns, with what has been told until now.
  std::vector<Turn> plan();
  /// What the oldest turns that were planned and not yet told took: seconds of a lap of each, on
  /// the slowest rank.
  void took(std::span<const double> seconds);

  /// Trying has cost so much besides laps, such as to set an entrant up.
  void spent(double seconds) { elapsed_ += seconds, cost_ += seconds; }

  std::size_t leader() const noexcept { return leader_; }
  bool tries(std::size_t entrant) const {
    return entrants_[entrant].state == State::waits || entrants_[entrant].state == State::runs;
  }
  /// One that is out may be asked again, once another thing has changed or in another contest.
  bool may_return(std::size_t entrant) const;
  /// Nobody is left to try.
  bool decided() const;
  /// How often it has been decided and begun again.
  int contests() const noexcept { return contests_; }
  const std::vector<Entrant>& entrants() const noexcept { return entrants_; }
  /// Times as long as the leader, where it was tried.
  base::Interval times(std::size_t entrant) const;
  double elapsed() const noexcept { return elapsed_; }  ///< seconds of all laps told
  double cost() const noexcept { return cost_; }        ///< of these, what trying cost
  /// Seconds of a leader's lap, of late.
  double lap() const noexcept { return lap_; }
  /// After how many laps they repeat; 1: all are alike.
  int period() const noexcept { return period_; }
  /// How alike laps are, in words; nothing before that is known.
  std::string likeness() const;

 private:
  struct Batch {
    std::vector<Turn> turns;
    std::size_t leader;
    double expected = 0;  ///< seconds that it may cost
  };

  double looks_like(const Entrant& entrant) const;
  std::optional<std::size_t> next() const;
  std::vector<Turn> rest(double seconds) const;
  void listen(std::span<const double> seconds);
  void watch(double lap, long laps);
  void meet(std::size_t entrant, double mine, double leaders);
  void judge(std::size_t entrant);
  void crown(std::size_t entrant);
  void reopen();
  void confirm();

  Rules rules_;
  std::vector<Entrant> entrants_;
  std::deque<Batch> planned_;  ///< and not told yet
  std::size_t leader_ = 0;
  bool listens_ = false;  ///< its first turns are planned
  int turn_laps_ = 0;     ///< of a timed turn; 0: not known yet
  int period_ = 1, first_sight_ = 1;
  double differ_ = 0;                 ///< a lap from the next, usually, as a share
  std::vector<std::size_t> changed_;  ///< things, in the order of new leaders
  std::minstd_rand dice_;             ///< the same on all ranks
  double lap_ = 0, elapsed_ = 0, cost_ = 0, at_risk_ = 0;
  int contests_ = 1;
  // The leader's laps between bouts, and what a lap may take before the last leader is asked again.
  double own_seconds_ = 0, disappointing_ = 0;
  long own_laps_ = 0;
  std::size_t last_ = 0;
  // Windows of the leader's laps since it was decided.
  std::vector<double> windows_;
  double usual_ = 0, spread_ = 0;
  int strange_ = 0;
  double not_before_ = 0;  ///< so many seconds have passed: the next contest for drift
};

}  // namespace halocline::detail

#pragma GCC visibility pop
