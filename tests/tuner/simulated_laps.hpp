#pragma once
// A program whose laps take known times, so that the right answer of a contest is known.

#include "tuner/lap_contest.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace simulated {

using halocline::detail::LapContest;

struct Program {
  std::vector<double> times;  ///< of each entrant, the first is 1
  double lap = 1e-3;          ///< seconds
  long laps = 30000;
  /// What a lap takes besides, times, by its number and who makes it.
  std::function<double(long, std::size_t)> besides = [](long, std::size_t) { return 1.0; };
  /// And for how many seconds it waits for something else.
  std::function<double(long, std::size_t)> waits = [](long, std::size_t) { return 0.0; };
  double set_up = 0, expected = 0;  ///< seconds before each entrant's first lap
};

struct Outcome {
  LapContest contest;
  double seconds = 0, best = 0;            ///< in all, had the best made all laps
  long made = 0, decided = -1, found = 0;  ///< laps: until decided, until the last new leader
  int set_ups = 0;
  double regret() const { return seconds / best - 1; }
};

/// Ranks tell each other what a batch took while they make the next one. `after_lap` sees the run
/// grow.
template <class AfterLap>
Outcome drive(const Program& program, const LapContest::Rules& rules, AfterLap&& after_lap) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < program.times.size(); ++i) names.push_back(std::to_string(i));
  Outcome run{LapContest(std::move(names), rules)};
  std::vector<char> ready(program.times.size());
  double preparing = 0, told = 0;
  for (std::size_t i = 1; i < ready.size(); ++i) run.contest.expect_set_up(i, program.expected);
  const double best = *std::ranges::min_element(program.times);
  std::vector<double> before;
  while (run.made < program.laps) {
    std::vector<double> now;
    for (const LapContest::Turn& turn : run.contest.plan()) {
      double sum = 0;
      if (turn.entrant > 0 && !std::exchange(ready[turn.entrant], 1)) {
        run.contest.expect_set_up(turn.entrant, 0);
        preparing += program.set_up;
        run.seconds += program.set_up, ++run.set_ups;
      }
      for (int i = 0; i < turn.warm + turn.laps; ++i) {
        const double times = program.times[turn.entrant];
        const double once = program.lap * program.besides(run.made, turn.entrant);
        const double wait = program.waits(run.made, turn.entrant);
        ++run.made;
        run.seconds += once * times + wait, run.best += once * best + wait;
        if (i >= turn.warm) sum += once * times + wait;
        after_lap(run);
      }
      now.push_back(sum / turn.laps);
    }
    const std::size_t leader = run.contest.leader();
    run.contest.spent(std::exchange(told, std::exchange(preparing, 0)));
    if (!before.empty()) run.contest.took(before);
    before = std::move(now);
    if (run.contest.leader() != leader) run.found = run.made;
    if (run.decided < 0 && run.contest.decided()) run.decided = run.made;
  }
  return run;
}

inline Outcome drive(const Program& program, const LapContest::Rules& rules = {}) {
  return drive(program, rules, [](const Outcome&) {});
}

}  // namespace simulated
