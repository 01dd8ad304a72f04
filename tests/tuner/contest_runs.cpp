// Contests for contests.py, which calls this library by ctypes: the very code that decides in
// programs, on laps that take what Python says.

#include "simulated_laps.hpp"

#include <span>

extern "C" {

struct ContestRun {
  double seconds, best;  ///< in all, had the best made all laps
  double cost;           ///< what the contest itself believes that trying cost
  long decided;          ///< after so many laps, -1: never
  long found;            ///< the last time that another has become the leader
  long contests, leader;
};

/// `factors` are `rows` times `length` of them: lap i of entrant e takes `lap * times[e]` seconds
/// times the one in row e (from the first again, where there are fewer) and column i (the same).
/// One of `interrupted` and more is of a lap that waited for so long, whoever made it. `lost[k]`
/// becomes what the run has lost to the best after `marks[k]` laps, as a share of what the best
/// takes.
void contest_run(std::size_t entrants, const double* times, double lap, long laps, double regret,
                 std::size_t rows, std::size_t length, const double* factors, double interrupted,
                 std::size_t marked, const long* marks, double* lost, ContestRun* found) {
  simulated::Program program{.times = {times, times + entrants}, .lap = lap, .laps = laps};
  const auto factor = [=](long number, std::size_t entrant) {
    return factors[entrant % rows * length + static_cast<std::size_t>(number) % length];
  };
  program.besides = [=](long number, std::size_t entrant) {
    const double one = factor(number, entrant);
    return one < interrupted ? one : 1;
  };
  program.waits = [=](long number, std::size_t entrant) {
    const double one = factor(number, entrant);
    return one < interrupted ? 0 : lap * (one - 1);
  };
  std::size_t next = 0;
  halocline::detail::LapContest::Rules rules;
  rules.regret = regret;
  const simulated::Outcome run = drive(program, rules, [&](const simulated::Outcome& now) {
    while (next < marked && now.made >= marks[next]) lost[next++] = now.regret();
  });
  *found = {run.seconds,
            run.best,
            run.contest.cost(),
            run.decided,
            run.found,
            run.contest.contests(),
            static_cast<long>(run.contest.leader())};
}
}
