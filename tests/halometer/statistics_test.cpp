// What is said of samples, on samples of which the truth is known.

#include "statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace {

using namespace halometer;

std::vector<double> first_numbers(std::size_t n) {
  std::vector<double> samples(n);
  std::iota(samples.rbegin(), samples.rend(), 1.0);
  return samples;
}

/// The share of a sum that the first of two medians has.
double share(std::span<const double> medians) {
  return medians[0] / (medians[0] + medians[1]);
}

TEST(Bootstrap, IntervalsHoldTheTruthAboutAsOftenAsTheySay) {
  std::mt19937 random(7);
  std::exponential_distribution<double> first(1), second(0.25);
  constexpr int trials = 1000;
  for (const std::size_t n : {20u, 101u}) {
    int held = 0;
    for (int trial = 0; trial < trials; ++trial) {
      std::vector<double> a(n), b(2 * n);
      for (double& sample : a) sample = first(random);
      for (double& sample : b) sample = second(random);
      const std::span<const double> sets[] = {a, b};
      const Interval interval = bootstrap(sets, share);
      EXPECT_LE(interval.low, interval.value);
      EXPECT_GE(interval.high, interval.value);
      held += interval.low <= 0.2 && 0.2 <= interval.high;
    }
    EXPECT_GE(held, 0.93 * trials) << n;
    EXPECT_LE(held, 0.98 * trials) << n;
  }
}

TEST(Bootstrap, OfOneMedianIsNearItsOwnInterval) {
  const std::vector<double> samples = first_numbers(1001);
  const std::span<const double> sets[] = {samples};
  const Interval exact = median(samples);
  const Interval drawn =
      bootstrap(sets, [](std::span<const double> medians) { return medians[0]; });
  EXPECT_EQ(drawn.value, exact.value);
  EXPECT_NEAR(drawn.low, exact.low, 4);
  EXPECT_NEAR(drawn.high, exact.high, 4);
}

TEST(Bootstrap, ClaimsNoMoreThanSamplesAllow) {
  const std::vector<double> three = first_numbers(3), many = first_numbers(100);
  const std::span<const double> sets[] = {three, many};
  EXPECT_DOUBLE_EQ(bootstrap(sets, share).confidence, 1 - 2.0 / 8);
}

TEST(Percentile, IsTheNearestRank) {
  EXPECT_EQ(percentile(first_numbers(100), 0.05), 5);
  EXPECT_EQ(percentile(first_numbers(100), 0.95), 95);
  EXPECT_EQ(percentile(first_numbers(3), 0.05), 1);
  EXPECT_EQ(percentile(std::vector{4.0}, 0.95), 4);
}

TEST(WarmUp, IsCutOff) {
  std::mt19937 random(3);
  std::lognormal_distribution<double> noise(0, 0.05);
  std::vector<double> samples;
  for (int i = 0; i < 200; ++i) samples.push_back((i < 30 ? 3 : 1) * noise(random));
  samples[150] = 1000;  // an outlier is no reason to cut
  EXPECT_GE(warm_up(samples), 30u);
  EXPECT_LE(warm_up(samples), 45u);
}

TEST(WarmUp, IsNoneWhereNothingChanges) {
  EXPECT_EQ(warm_up(std::vector<double>(100, 1.0)), 0u);
  EXPECT_EQ(warm_up(first_numbers(7)), 0u);  // too few to tell
}

TEST(WarmUp, CutsAtMostHalf) {
  for (std::size_t n : {20u, 33u, 100u}) EXPECT_LE(warm_up(first_numbers(n)), n / 2);
}

}  // namespace
