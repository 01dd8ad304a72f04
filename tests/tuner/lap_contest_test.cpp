// Contests in laps, driven by simulated laps: times and noise are known, so the right answer is.

#include "simulated_laps.hpp"

#include "common/its_turn.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <random>

using halocline::detail::LapContest;
using simulated::Outcome;

namespace {

struct Program : simulated::Program {
  double noise = 0.05;  ///< of the logarithm
};

/// A program of these entrants, with noise.
Program program_of(std::vector<double> times, long laps = 30000) {
  Program program;
  program.times = std::move(times);
  program.laps = laps;
  return program;
}

Outcome drive(const Program& program, unsigned seed) {
  std::mt19937 dice(seed);
  std::normal_distribution<double> normal;
  simulated::Program noisy = program;
  noisy.besides = [&](long lap, std::size_t who) {
    return program.besides(lap, who) * std::exp(program.noise * normal(dice));
  };
  return simulated::drive(noisy);
}

TEST(LapContest, FindsTheFastestAndLosesLittle) {
  for (unsigned seed = 1; seed <= 20; seed += one_in()) {
    std::mt19937 dice(seed);
    Program program = program_of({1, 0.9, 0.95, 1.3, 2, 5, 0.85, 1.01, 1.1}, 60000);
    std::shuffle(program.times.begin() + 1, program.times.end(), dice);
    const Outcome found = drive(program, seed);
    EXPECT_EQ(program.times[found.contest.leader()], 0.85) << seed;
    EXPECT_GT(found.decided, 0);
    EXPECT_LT(found.regret(), 0.025) << seed;
    EXPECT_LT(found.contest.cost(), 0.011 * found.seconds);
  }
}

TEST(LapContest, SettingUpIsOfTheBudgetAndWaitsUntilLapsHavePaidForIt) {
  // 471 laps of 0.2 ms may cost a millisecond, where one set-up takes three.
  Program program = program_of({1, 0.5, 0.6, 0.7}, 471);
  program.lap = 0.2e-3;
  program.set_up = program.expected = 3e-3;
  const Outcome brief = drive(program, 1);
  EXPECT_EQ(brief.set_ups, 0);
  EXPECT_EQ(brief.contest.cost(), 0);
  // In a longer run each is within its share, and the fastest is found.
  for (const long laps : {2000, 4000, 8000, 16000, 40000}) {
    program.laps = laps;
    const Outcome found = drive(program, 1);
    EXPECT_LE(found.contest.cost(), 0.01 * found.seconds) << laps;
    EXPECT_EQ(found.set_ups > 0, laps > 2000) << laps;
    EXPECT_EQ(found.contest.leader(), laps < 8000 ? found.contest.leader() : 1) << laps;
  }
  // What takes longer than expected is paid for before the next one is set up.
  program.expected = 0.1e-3;
  program.set_up = 20e-3;
  program.laps = 8000;
  EXPECT_EQ(drive(program, 1).set_ups, 1);
}

TEST(LapContest, WhatCostsNothingToSetUpDoesNotWaitForWhatIsDear) {
  LapContest contest({"leader", "dear", "free"}, {});
  contest.expect_set_up(1, 1e3);
  for (int batch = 0; batch < 60; ++batch) {
    std::vector<double> seconds;
    for (const LapContest::Turn& turn : contest.plan())
      seconds.push_back(turn.entrant == 2 ? 1e-3 : 1.02e-3);
    contest.took(seconds);
  }
  EXPECT_EQ(contest.leader(), 2u);
  EXPECT_TRUE(contest.entrants()[1].quotients.empty());
  EXPECT_FALSE(contest.decided());
}

TEST(LapContest, ClaimsNothingWhereAllAreAlike) {
  int claims = 0;
  for (unsigned seed = 1; seed <= 40; seed += one_in())
    claims += drive(program_of(std::vector<double>(8, 1.0)), seed).contest.leader() != 0;
  EXPECT_LE(claims, 4);  // of 40 at a chance of 0.05: one in 70 times there are more
}

TEST(LapContest, LapsOfWhichEveryTenthIsLongAreToldApart) {
  Program program = program_of({1, 0.9, 1.2});
  program.besides = [](long lap, std::size_t) { return lap % 10 == 9 ? 5.0 : 1.0; };
  for (unsigned seed = 1; seed <= 10; seed += one_in()) {
    const Outcome found = drive(program, seed);
    EXPECT_EQ(found.contest.leader(), 1);
    EXPECT_EQ(found.contest.period(), 10);
    EXPECT_NE(found.contest.likeness().find("they repeat after 10"), std::string::npos);
  }
}

TEST(LapContest, LapsThatComeInTimeWithItsTurnsMakeNoDifference) {
  for (const int period : {2, 3, 4, 6, 8, 9, 12, 100}) {
    int claims = 0;
    for (unsigned seed = 1; seed <= 10; seed += one_in()) {
      Program program = program_of(std::vector<double>(4, 1.0), 20000);
      program.besides = [=](long lap, std::size_t) { return lap % period == 0 ? 3.0 : 1.0; };
      const LapContest& contest = drive(program, seed).contest;
      claims += contest.leader() != 0;
      EXPECT_EQ(contest.period(), period > 32 ? 1 : period) << period;
    }
    EXPECT_LE(claims, 2) << period;
  }
}

TEST(LapContest, SaysWhereLapsAreNotAlike) {
  Program program = program_of({1, 0.9});
  const auto likeness = [&] { return drive(program, 1).contest.likeness(); };
  EXPECT_EQ(likeness().find("repeat"), std::string::npos);
  EXPECT_EQ(likeness().find("say how much"), std::string::npos);
  std::mt19937 dice(7);
  program.besides = [&](long, std::size_t) { return 1.0 + dice() % 8; };
  EXPECT_NE(likeness().find("if their work differs, say how much each has"), std::string::npos);
  program.besides = [](long lap, std::size_t) { return 1.0 + lap % 3; };
  EXPECT_NE(likeness().find("they repeat after 3"), std::string::npos);
  EXPECT_EQ(LapContest({"first"}, {}).likeness(), "");
}

TEST(LapContest, RareDisturbancesDecideNothing) {
  Program program = program_of({1, 0.9, 1.2});
  std::mt19937 dice(7);
  program.besides = [&](long, std::size_t) { return dice() % 100 == 0 ? 20.0 : 1.0; };
  for (unsigned seed = 1; seed <= 10; seed += one_in())
    EXPECT_EQ(drive(program, seed).contest.leader(), 1);
}

TEST(LapContest, OneThatIsNowAndThenVerySlowDoesNotWin) {
  Program program = program_of({1, 0.9});
  std::mt19937 dice(7);
  program.besides = [&](long, std::size_t who) {
    return who == 1 && dice() % 20 == 0 ? 50.0 : 1.0;
  };
  for (unsigned seed = 1; seed <= 10; seed += one_in())
    EXPECT_EQ(drive(program, seed).contest.leader(), 0);
}

TEST(LapContest, AnotherIsChosenWhereThingsHaveChanged) {
  Program program = program_of({1, 0.9, 1.2}, 60000);
  program.besides = [](long lap, std::size_t who) {
    return lap > 20000 ? (who == 1 ? 1.5 : 1.2) : 1.0;
  };
  for (unsigned seed = 1; seed <= 10; seed += one_in()) {
    const Outcome found = drive(program, seed);
    EXPECT_EQ(found.contest.leader(), 0);
    EXPECT_EQ(found.contest.contests(), 2);
  }
}

TEST(LapContest, AMachineThatIsSlowerForAllChangesNothing) {
  Program program = program_of({1, 0.9, 1.2}, 60000);
  program.besides = [](long lap, std::size_t) { return lap / 5000 % 2 == 0 ? 1.0 : 1.4; };
  for (unsigned seed = 1; seed <= 10; seed += one_in()) {
    const Outcome found = drive(program, seed);
    EXPECT_EQ(found.contest.leader(), 1);
    EXPECT_LE(found.contest.contests(), 5);  // each twice as late as the one before
    EXPECT_LT(found.regret(), 0.02);
  }
}

TEST(LapContest, AShortRunTriesLittle) {
  const Outcome found = drive(program_of({1, 3, 3, 3, 3, 3}, 300), 1);
  EXPECT_LT(found.regret(), 0.05);
  EXPECT_FALSE(found.contest.decided());
}

/// Two things of two choices each. By the choices: what a lap takes, and what it is besides.
struct Pair {
  std::array<std::array<double, 2>, 2> times;
  std::function<double(std::size_t a, std::size_t b)> besides = [](std::size_t, std::size_t) {
    return 1.0;
  };

  /// What is chosen in so many laps, in a contest of changes of one of them, as Laps holds it.
  std::array<std::size_t, 2> chosen(unsigned seed, long laps = 30000) const {
    LapContest contest({"as it begins"}, {});
    struct Change {
      std::size_t thing, choice;
    };
    std::vector<Change> changes{{}};
    std::array<std::size_t, 2> now{};
    for (std::size_t thing = 0; thing < 2; ++thing)
      for (std::size_t choice = 0; choice < 2; ++choice) {
        contest.enter("", 0, thing);
        changes.push_back({thing, choice});
        if (choice == 0) contest.leave_out(changes.size() - 1, "in use");
      }
    std::mt19937 dice(seed);
    std::normal_distribution<double> noise(0, 0.05);
    for (long made = 0; made < laps;) {
      std::vector<double> took;
      for (const LapContest::Turn& turn : contest.plan()) {
        std::array<std::size_t, 2> use = now;
        if (turn.entrant != contest.leader())
          use[changes[turn.entrant].thing] = changes[turn.entrant].choice;
        double sum = 0;
        for (int i = 0; i < turn.warm + turn.laps; ++i, ++made)
          if (const double lap =
                  1e-3 * times[use[0]][use[1]] * besides(use[0], use[1]) * std::exp(noise(dice));
              i >= turn.warm)
            sum += lap;
        took.push_back(sum / turn.laps);
      }
      const std::size_t before = contest.leader();
      contest.took(took);
      if (contest.leader() == before) continue;
      const auto [thing, choice] = changes[contest.leader()];
      for (std::size_t e = 1; e < changes.size(); ++e)
        if (changes[e].thing == thing && changes[e].choice == now[thing]) contest.has_replaced(e);
      now[thing] = choice;
      for (std::size_t e = 1; e < changes.size(); ++e)
        if (e != contest.leader() && changes[e].choice == now[changes[e].thing])
          contest.leave_out(e, "in use");
    }
    return now;
  }
};
using Chosen = std::array<std::size_t, 2>;

TEST(LapContest, OfTwoThingsBothAreChosen) {
  for (unsigned seed = 1; seed <= 10; seed += one_in()) {
    EXPECT_EQ((Pair{.times = {{{1, 0.9}, {0.8, 0.7}}}}.chosen(seed)), (Chosen{1, 1}));
    EXPECT_EQ((Pair{.times = {{{1, 1.1}, {0.8, 0.9}}}}.chosen(seed)), (Chosen{1, 0}));
    EXPECT_EQ((Pair{.times = {{{1, 1.1}, {1.2, 1.3}}}}.chosen(seed)), (Chosen{0, 0}));
  }
}

TEST(LapContest, WhatWasTheBestIsAskedAgainWhereAnotherThingHasChanged) {
  // The first helps the second and stands in its way afterwards.
  const Pair helper{.times = {{{1, 0.6}, {0.8, 0.75}}}};
  // It was no good beside what the second began with.
  const Pair late{.times = {{{1, 0.8}, {1.1, 0.6}}}};
  for (unsigned seed = 1; seed <= 10; seed += one_in()) {
    EXPECT_EQ(helper.chosen(seed), (Chosen{0, 1})) << seed;
    EXPECT_EQ(late.chosen(seed), (Chosen{1, 1})) << seed;
  }
}

TEST(LapContest, OfTwoThingsTheOneThatDisappointsGoesBackAlone) {
  std::mt19937 dice(7);
  Pair pair{.times = {{{1, 0.9}, {0.8, 0.7}}}};
  pair.besides = [&](std::size_t, std::size_t b) {
    return b == 1 && dice() % 20 == 0 ? 50.0 : 1.0;
  };
  for (unsigned seed = 1; seed <= 10; seed += one_in())
    EXPECT_EQ(pair.chosen(seed, 100000), (Chosen{1, 0})) << seed;
}

TEST(LapContest, ThoseThatNoNumberOfBoutsTellsApartAreNotMetForEver) {
  Program program = program_of({1, 1}, 1000000);
  program.noise = 0;
  // Now faster, now slower: the median's interval never becomes narrow.
  program.besides = [](long lap, std::size_t who) {
    return who == 0 ? 1 : lap % 2 == 0 ? 0.9 : 1.1;
  };
  const Outcome found = drive(program, 1);
  EXPECT_GT(found.decided, 0);
  EXPECT_EQ(found.contest.leader(), 0);
  EXPECT_NE(found.contest.entrants()[1].why.find("bouts"), std::string::npos);
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
