// Contests in laps, driven by simulated laps: times and noise are known, so the right answer is.

#include "tuner/lap_contest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

using namespace halocline::detail;

namespace {

/// A program whose laps take known times.
struct Program {
  std::vector<double> times;  ///< of each entrant, the first is 1
  double lap = 1e-3;          ///< seconds
  double noise = 0.05;        ///< of the logarithm
  long laps = 30000;
  /// What else a lap takes, times, by its number and who makes it.
  std::function<double(long, std::size_t)> besides = [](long, std::size_t) { return 1.0; };
};

struct Outcome {
  LapContest contest;
  double seconds = 0, best = 0;  ///< in all, and had the best made all laps
  long made = 0, decided = -1;
  double regret() const { return seconds / best - 1; }
};

/// Ranks tell each other what a batch took while they make the next one.
Outcome drive(const Program& program, unsigned seed, LapContest::Rules rules = {}) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < program.times.size(); ++i) names.push_back(std::to_string(i));
  Outcome run{LapContest(names, rules)};
  const double best = *std::ranges::min_element(program.times);
  std::mt19937 dice(seed);
  std::normal_distribution<double> normal;
  std::vector<double> before;
  while (run.made < program.laps) {
    std::vector<double> now;
    for (const LapContest::Turn& turn : run.contest.plan()) {
      double sum = 0;
      for (int i = 0; i < turn.warm + turn.laps; ++i) {
        const double times = program.times[turn.entrant];
        const double lap = program.lap * times * std::exp(program.noise * normal(dice)) *
                           program.besides(run.made++, turn.entrant);
        run.seconds += lap, run.best += lap / times * best;
        if (i >= turn.warm) sum += lap;
      }
      now.push_back(sum / turn.laps);
    }
    if (!before.empty()) run.contest.took(before);
    before = std::move(now);
    if (run.decided < 0 && run.contest.decided()) run.decided = run.made;
  }
  return run;
}

TEST(LapContest, FindsTheFastestAndLosesLittle) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 dice(seed);
    Program program{.times = {1, 0.9, 0.95, 1.3, 2, 5, 0.85, 1.01, 1.1}, .laps = 60000};
    std::shuffle(program.times.begin() + 1, program.times.end(), dice);
    const Outcome found = drive(program, seed);
    EXPECT_EQ(program.times[found.contest.leader()], 0.85) << seed;
    EXPECT_GT(found.decided, 0);
    EXPECT_LT(found.regret(), 0.025) << seed;
    EXPECT_LT(found.contest.cost(), 0.011 * found.seconds);
  }
}

TEST(LapContest, ClaimsNothingWhereAllAreAlike) {
  int claims = 0;
  for (unsigned seed = 1; seed <= 40; ++seed)
    claims += drive({.times = std::vector<double>(8, 1.0)}, seed).contest.leader() != 0;
  EXPECT_LE(claims, 4);  // of 40 at a chance of 0.05: one in 70 times there are more
}

TEST(LapContest, LapsOfWhichEveryTenthIsLongAreToldApart) {
  Program program{.times = {1, 0.9, 1.2}};
  program.besides = [](long lap, std::size_t) { return lap % 10 == 9 ? 5.0 : 1.0; };
  for (unsigned seed = 1; seed <= 10; ++seed) EXPECT_EQ(drive(program, seed).contest.leader(), 1);
}

TEST(LapContest, RareDisturbancesDecideNothing) {
  Program program{.times = {1, 0.9, 1.2}};
  std::mt19937 dice(7);
  program.besides = [&](long, std::size_t) { return dice() % 100 == 0 ? 20.0 : 1.0; };
  for (unsigned seed = 1; seed <= 10; ++seed) EXPECT_EQ(drive(program, seed).contest.leader(), 1);
}

TEST(LapContest, OneThatIsNowAndThenVerySlowDoesNotWin) {
  Program program{.times = {1, 0.9}};
  std::mt19937 dice(7);
  program.besides = [&](long, std::size_t who) {
    return who == 1 && dice() % 20 == 0 ? 50.0 : 1.0;
  };
  for (unsigned seed = 1; seed <= 10; ++seed) EXPECT_EQ(drive(program, seed).contest.leader(), 0);
}

TEST(LapContest, AnotherIsChosenWhereThingsHaveChanged) {
  Program program{.times = {1, 0.9, 1.2}, .laps = 60000};
  program.besides = [](long lap, std::size_t who) {
    return lap > 20000 ? (who == 1 ? 1.5 : 1.2) : 1.0;
  };
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Outcome found = drive(program, seed);
    EXPECT_EQ(found.contest.leader(), 0);
    EXPECT_EQ(found.contest.contests(), 2);
  }
}

TEST(LapContest, AMachineThatIsSlowerForAllChangesNothing) {
  Program program{.times = {1, 0.9, 1.2}, .laps = 60000};
  program.besides = [](long lap, std::size_t) { return lap / 5000 % 2 == 0 ? 1.0 : 1.4; };
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Outcome found = drive(program, seed);
    EXPECT_EQ(found.contest.leader(), 1);
    EXPECT_LE(found.contest.contests(), 5);  // each twice as late as the one before
    EXPECT_LT(found.regret(), 0.02);
  }
}

TEST(LapContest, AShortRunTriesLittle) {
  const Outcome found = drive({.times = {1, 3, 3, 3, 3, 3}, .laps = 300}, 1);
  EXPECT_LT(found.regret(), 0.05);
  EXPECT_FALSE(found.contest.decided());
}

TEST(LapContest, OneThatIsLeftOutIsNotTried) {
  LapContest contest({"first", "second"}, {});
  contest.leave_out(1, "refused");
  EXPECT_TRUE(contest.decided());
  for (int batch = 0; batch < 10; ++batch) {
    const std::vector<LapContest::Turn> turns = contest.plan();
    for (const LapContest::Turn& turn : turns) EXPECT_EQ(turn.entrant, 0u);
    contest.took(std::vector<double>(turns.size(), 1e-3));
  }
  EXPECT_EQ(contest.entrants()[1].why, "refused");
}

}  // namespace
