#pragma once
// The tournament: candidates are set up on the caller's memory, checked, and raced against each
// other. Collective throughout; all ranks come to the same end.

#include "exchange/core/registry.hpp"
#include "probe.hpp"
#include "race.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace halocline::detail {

class Tournament {
 public:
  using Make = std::function<std::unique_ptr<Method>(Setup)>;
  /// Called with each scheme before it is measured, so that it is known what a job did not survive.
  /// Goes with the tournament.
  using Announce = std::function<void(const std::string& scheme)>;
  static constexpr const char* no_time = "not tried: the time was up";

  Tournament(const Setup& setup, double budget, Announce announce = {}, Make make = make_method);

  /// Sets a candidate up and compares what it delivers with what p2p:nonblocking does. One that
  /// refuses, delivers something else, or takes several times as long as the best, is dropped.
  void enter(const Scheme& scheme);
  /// One that may not take part.
  void leave_out(const Scheme& scheme, std::string why);
  bool knows(const Scheme& scheme) const;
  /// Races those still in; `most` rounds.
  void race(int most);
  /// Without a race, a few measurements of the only one still in; seconds of an exchange.
  double look();

  const Race& runners() const noexcept { return race_; }
  /// Bytes that a step of a runner copies only because of the memory that the fields lie in
  /// (Method::avoidable_bytes), on the rank that copies most.
  double avoidable_bytes(std::size_t runner) const { return competitors_[runner].avoidable_bytes; }
  bool nobody_left() const { return race_.running().empty(); }
  /// Seconds since the beginning, on the slowest rank; of the last time that all ranks met.
  double elapsed() const noexcept { return elapsed_; }
  std::size_t tried() const noexcept { return tried_; }
  /// Whether this part of the budget is spent.
  bool spent(double part) const noexcept { return elapsed_ > part * budget_; }
  /// The leader's method, on which the caller's fields are as they were.
  std::unique_ptr<Method> winner();

 private:
  struct Competitor {
    Scheme scheme;
    std::optional<Probe> probe{};
    int batch = 1;  ///< exchanges in a measurement
    double avoidable_bytes = 0;
  };

  std::unique_ptr<Method> make(const Scheme& scheme);
  /// The largest of all ranks, the elapsed time with them.
  void settle(std::vector<double>& values);
  bool right(Probe& probe, double& once);
  void find_batch(Competitor& competitor);
  double first_sight(std::size_t runner);
  std::vector<double> measure(const std::vector<std::size_t>& visits);
  void dismiss();

  using Clock = std::chrono::steady_clock;

  const Setup& setup_;
  Make make_;
  Announce announce_;
  double budget_, elapsed_ = 0;
  std::optional<std::size_t> favourite_;  ///< who has won in turns so far
  double best_ = 0;                       ///< the seconds it took
  std::size_t tried_ = 0;
  Clock::time_point begin_ = Clock::now();
  Cells cells_;
  std::vector<std::byte> expected_[2];
  Race race_{20261122};
  std::vector<Competitor> competitors_;  // by the race's numbers
};

}  // namespace halocline::detail
