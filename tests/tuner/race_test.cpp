// The race, driven by a simulated clock: times and noise are known, so the right answer is.

#include "tuner/race.hpp"

#include "common/its_turn.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

using namespace halocline::detail;

namespace {

/// What an exchange takes: usually, and a share of the measurements so many times as long.
struct Truth {
  double usual, share = 0, slow = 1;
  Truth(double seconds, double part = 0, double times = 1)
      : usual(seconds), share(part), slow(times) {}
  double mean() const { return usual * (1 + share * (slow - 1)); }
};

/// Candidates whose exchanges take known times, with noise as on a shared machine: always more
/// time and never less, now and then much more, and slow drifts that concern all alike.
class Track {
 public:
  Track(std::vector<Truth> truths, double noise, unsigned seed)
      : truths_(std::move(truths)), noise_(noise), dice_(seed) {}

  /// Every so many seconds in the mean all take so many times as long, or no longer.
  void move(double seconds, double times) { stay_ = seconds, far_ = times; }
  /// Every so many seconds in the mean a measurement takes so many seconds more.
  void interrupt(double seconds, double more) { quiet_ = seconds, burst_ = more; }

  std::vector<double> measure(const std::vector<std::size_t>& visits) {
    std::vector<double> seconds;
    for (const std::size_t runner : visits) {
      seconds.push_back(draw(runner));
      clock_ += batch * seconds.back();
      ++visits_[runner];
    }
    return seconds;
  }
  double clock() const { return clock_; }
  int visits(std::size_t runner) const { return visits_.at(runner); }

 private:
  static constexpr int batch = 50;
  double draw(std::size_t runner) {
    const auto happens = [this](double probability) {
      return std::bernoulli_distribution(std::min(probability, 1.0))(dice_);
    };
    const Truth& truth = truths_[runner];
    std::exponential_distribution<double> tail(1 / noise_);
    const double drift = 1 + 0.2 * std::sin(40 * clock_);
    double seconds = truth.usual * drift * (1 + tail(dice_)) * (happens(0.05) ? 5 : 1);
    if (happens(truth.share)) seconds *= truth.slow;
    if (happens(batch * seconds / stay_)) is_far_ = !is_far_;
    if (is_far_) seconds *= far_;
    if (happens(batch * seconds / quiet_)) seconds += burst_ / batch;
    return seconds;
  }

  std::vector<Truth> truths_;
  double noise_, clock_ = 0;
  double stay_ = 1e9, far_ = 1, quiet_ = 1e9, burst_ = 0;
  bool is_far_ = false;
  std::mt19937 dice_;
  std::map<std::size_t, int> visits_;
};

/// Each runner is a family of its own.
Race run(Track& track, std::size_t runners, double budget, unsigned seed, int most = 60) {
  Race race(seed);
  for (std::size_t i = 0; i < runners; ++i)
    race.enter("runner " + std::to_string(i), std::to_string(i));
  race.run([&](const auto& visits) { return track.measure(visits); },
           [&] { return budget - track.clock(); }, most);
  return race;
}

TEST(Race, FindsTheFastestAmongMany) {
  int wrong = 0;
  double worst = 1;
  for (unsigned seed = 0; seed < 100; seed += one_in()) {
    std::vector<double> truths;
    for (int i = 0; i < 12; ++i) truths.push_back(1e-6 * (1 + 0.1 * ((i * 5 + seed) % 12)));
    Track track({truths.begin(), truths.end()}, 0.1, seed);
    const Race race = run(track, truths.size(), 1, seed);
    const double best = *std::min_element(truths.begin(), truths.end());
    wrong += truths[race.leader()] != best;
    worst = std::max(worst, truths[race.leader()] / best);
  }
  EXPECT_LE(wrong, 1);
  EXPECT_LE(worst, 1.11);
}

TEST(Race, OfCandidatesThatDifferByLittleTakesOneOfTheBest) {
  for (unsigned seed = 0; seed < 100; seed += one_in()) {
    const std::vector<double> truths{1e-6, 1.005e-6, 1.01e-6, 1.02e-6, 1.5e-6};
    Track track({truths.begin(), truths.end()}, 0.05, seed);
    EXPECT_LE(truths[run(track, truths.size(), 1, seed).leader()], 1.02e-6) << "seed " << seed;
  }
}

/// How often of 100 times neither of the two best by the mean is found, and how bad the worst
/// choice is.
struct Verdict {
  int wrong = 0;
  double worst = 1;
};
Verdict judge(const std::vector<Truth>& truths, const std::function<void(Track&)>& machine = {}) {
  Verdict verdict;
  double best = 1e9;
  for (const Truth& truth : truths) best = std::min(best, truth.mean());
  for (unsigned seed = 0; seed < 100; seed += one_in()) {
    Track track(truths, 0.05, seed);
    if (machine) machine(track);
    const double times = truths[run(track, truths.size(), 1, seed).leader()].mean() / best;
    verdict.wrong += times > 1.03;
    verdict.worst = std::max(verdict.worst, times);
  }
  return verdict;
}

TEST(Race, DoesNotTakeOneThatIsFastMostly) {
  // By the median the first is the best by far, by the mean by far not.
  for (const Truth& twofold : {Truth(0.8e-6, 0.3, 20), Truth(0.8e-6, 0.1, 100),
                               Truth(0.8e-6, 0.03, 100), Truth(0.6e-6, 0.01, 500)}) {
    const Verdict found = judge({twofold, 1e-6, 1.02e-6, 1.3e-6});
    EXPECT_LE(found.wrong, 2) << twofold.share << " take " << twofold.slow << " times as long";
  }
}

TEST(Race, TakesOneThatIsFastInTheMeanThoughNotAlways) {
  // What is slow now and then, and all the same the fastest on the whole.
  EXPECT_LE(judge({Truth(0.5e-6, 0.1, 3), 1e-6, 1.1e-6}).wrong, 2);
}

TEST(Race, IsNotMisledByAMachineThatIsSlowerForAWhile) {
  const std::vector<Truth> truths{1.08e-6, 1e-6, 1.05e-6, 1.2e-6};
  for (const double stay : {1e-3, 10e-3, 100e-3}) {
    const Verdict found = judge(truths, [&](Track& track) { track.move(stay, 4); });
    EXPECT_LE(found.wrong, 2) << "moves every " << stay << " s";
    EXPECT_LE(found.worst, 1.09);
  }
}

TEST(Race, IsNotMisledByInterruptions) {
  // Milliseconds, a hundred times a measurement, of which each runner has its share by chance.
  const std::vector<Truth> truths{1.08e-6, 1e-6, 1.05e-6, 1.2e-6};
  for (const double quiet : {10e-3, 50e-3}) {
    const Verdict found = judge(truths, [&](Track& track) { track.interrupt(quiet, 4e-3); });
    EXPECT_LE(found.wrong, 10) << "every " << quiet << " s";
    EXPECT_LE(found.worst, 1.09);
  }
}

TEST(Race, TakesTheRestOfItsTimeOnlyWhereItMatters) {
  Track plain({1e-6, 1.3e-6}, 0.05, 1);
  run(plain, 2, 1, 1);
  EXPECT_LT(plain.clock(), 0.1);
  Track doubtful({Truth(0.8e-6, 0.01, 30), 1e-6}, 0.05, 1);
  run(doubtful, 2, 1, 1);
  EXPECT_GT(doubtful.clock(), plain.clock());
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
