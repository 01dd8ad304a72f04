// The race, driven by a simulated clock: times and noise are known, so the right answer is.

#include "tuner/race.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace halocline::detail;

namespace {

/// Candidates whose exchanges take known times, with noise as on a shared machine: always more
/// time and never less, now and then much more, and slow drifts that concern all alike.
class Track {
 public:
  Track(std::vector<double> truths, double noise, unsigned seed)
      : truths_(std::move(truths)), noise_(noise), dice_(seed) {}

  std::vector<double> measure(const std::vector<std::size_t>& visits) {
    std::vector<double> seconds;
    for (const std::size_t runner : visits) {
      seconds.push_back(draw(runner));
      clock_ += 50 * seconds.back();
      ++visits_[runner];
    }
    return seconds;
  }
  double clock() const { return clock_; }
  int visits(std::size_t runner) const { return visits_.at(runner); }

 private:
  double draw(std::size_t runner) {
    std::exponential_distribution<double> tail(1 / noise_);
    const bool disturbed = std::uniform_int_distribution(1, 20)(dice_) == 1;
    const double drift = 1 + 0.2 * std::sin(40 * clock_);
    return truths_[runner] * drift * (1 + tail(dice_)) * (disturbed ? 5 : 1);
  }

  std::vector<double> truths_;
  double noise_, clock_ = 0;
  std::mt19937 dice_;
  std::map<std::size_t, int> visits_;
};

Race run(Track& track, std::size_t runners, double budget, unsigned seed, int most = 60) {
  Race race(seed);
  for (std::size_t i = 0; i < runners; ++i) race.enter("runner " + std::to_string(i));
  race.run([&](const auto& visits) { return track.measure(visits); },
           [&] { return budget - track.clock(); }, most);
  return race;
}

TEST(Race, FindsTheFastestAmongMany) {
  int right = 0;
  double worst = 1;
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::vector<double> truths;
    for (int i = 0; i < 12; ++i) truths.push_back(1e-6 * (1 + 0.1 * ((i * 5 + seed) % 12)));
    Track track(truths, 0.1, seed);
    const Race race = run(track, truths.size(), 1, seed);
    const double best = *std::min_element(truths.begin(), truths.end());
    right += truths[race.leader()] == best;
    worst = std::max(worst, truths[race.leader()] / best);
  }
  EXPECT_GE(right, 99);
  EXPECT_LE(worst, 1.11);
}

TEST(Race, OfCandidatesThatDifferByLittleTakesOneOfTheBest) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const std::vector<double> truths{1e-6, 1.005e-6, 1.01e-6, 1.02e-6, 1.5e-6};
    Track track(truths, 0.05, seed);
    EXPECT_LE(truths[run(track, truths.size(), 1, seed).leader()], 1.02e-6) << "seed " << seed;
  }
}

TEST(Race, SpendsLittleOnLosers) {
  Track track({1e-6, 1.05e-6, 10e-6, 20e-6}, 0.1, 1);
  run(track, 4, 1, 1);
  EXPECT_LE(track.visits(2), 10);
  EXPECT_LE(track.visits(3), 10);
  EXPECT_GE(track.visits(0), 20);
}

TEST(Race, KeepsToItsBudget) {
  for (const double budget : {1e-2, 1e-1}) {
    Track track({1e-6, 1.01e-6, 1.02e-6}, 0.5, 3);
    const Race race = run(track, 3, budget, 3);
    EXPECT_LE(track.clock(), 1.5 * budget);
    EXPECT_FALSE(race.running().empty());
  }
}

TEST(Race, EndsWithoutTimeToo) {
  Track track({3e-6, 1e-6}, 0.01, 1);
  EXPECT_EQ(run(track, 2, 0, 1).leader(), 1u);
}

TEST(Race, TakesOvertimeForEnoughSamplesButNotForEver) {
  Track quick({0.4e-3, 0.44e-3}, 0.01, 1);  // 20 ms a visit
  const Race enough = run(quick, 2, 0, 1);
  EXPECT_GE(enough.runners()[enough.leader()].seconds.size(), 8u);
  Track slow({1, 1.1}, 0.01, 1);  // a minute a visit
  EXPECT_EQ(run(slow, 2, 0, 1).runners()[0].seconds.size(), 2u);
}

TEST(Race, MeasuresAllInTurnsAndInAnotherOrderEachTime) {
  Race race(1);
  for (const char* name : {"a", "b", "c", "d"}) race.enter(name);
  std::set<std::vector<std::size_t>> orders;
  race.run(
      [&](const std::vector<std::size_t>& visits) {
        for (std::size_t at = 0; at < visits.size(); at += 4) {
          std::vector<std::size_t> turn(visits.begin() + at, visits.begin() + at + 4);
          orders.insert(turn);
          EXPECT_EQ(std::set<std::size_t>(turn.begin(), turn.end()).size(), 4u);
        }
        return std::vector<double>(visits.size(), 1.0);
      },
      [] { return 1e9; }, 5);
  EXPECT_GT(orders.size(), 4u);
}

TEST(Race, SaysWhereEachWasDropped) {
  Track track({1e-6, 8e-6}, 0.01, 1);
  const Race race = run(track, 2, 1, 1);
  EXPECT_EQ(race.runners()[0].dropped, "");
  EXPECT_EQ(race.runners()[1].dropped.rfind("round 1: ", 0), 0u) << race.runners()[1].dropped;
}

TEST(Race, IsTheSameOnAllRanks) {
  // Ranks see the same times, so they must come to the same order and end.
  std::vector<std::vector<std::size_t>> orders[2];
  for (auto& seen : orders) {
    Track track({1e-6, 1.1e-6, 1.2e-6}, 0.2, 5);
    Race race(9);
    for (const char* name : {"a", "b", "c"}) race.enter(name);
    race.run(
        [&](const auto& visits) {
          seen.push_back(visits);
          return track.measure(visits);
        },
        [&] { return 0.1 - track.clock(); }, 60);
  }
  EXPECT_EQ(orders[0], orders[1]);
}

}  // namespace
