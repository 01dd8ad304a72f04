// The median and its interval, on samples of which the truth is known.

#include "base/median.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace {

using halocline::base::Interval;
using halocline::base::median;

std::vector<double> first_numbers(std::size_t n) {
  std::vector<double> samples(n);
  std::iota(samples.rbegin(), samples.rend(), 1.0);
  return samples;
}

TEST(Median, OfFewSamplesIsTheWholeRange) {
  const Interval one = median(std::vector{3.0});
  EXPECT_EQ(one.value, 3);
  EXPECT_EQ(one.low, 3);
  EXPECT_EQ(one.high, 3);
  EXPECT_EQ(one.confidence, 0);
  const Interval five = median(first_numbers(5));
  EXPECT_EQ(five.value, 3);
  EXPECT_EQ(five.low, 1);
  EXPECT_EQ(five.high, 5);
  EXPECT_DOUBLE_EQ(five.confidence, 1 - 2.0 / 32);
}

TEST(Median, HasTheIntervalOfTheBinomialDistribution) {
  const Interval six = median(first_numbers(6));
  EXPECT_EQ(six.value, 3.5);
  EXPECT_EQ(six.low, 1);
  EXPECT_EQ(six.high, 6);
  EXPECT_NEAR(six.confidence, 1 - 2.0 / 64, 1e-12);
  // P(binomial(10, 1/2) <= 1) = 11 / 1024 is below 2.5 %, P(... <= 2) = 56 / 1024 is not.
  const Interval ten = median(first_numbers(10));
  EXPECT_EQ(ten.low, 2);
  EXPECT_EQ(ten.high, 9);
  EXPECT_NEAR(ten.confidence, 1 - 22.0 / 1024, 1e-12);
  EXPECT_NEAR(ten.width(), 7 / 5.5, 1e-12);
  // By the normal approximation 5000 - 98 of 10000.
  EXPECT_NEAR(median(first_numbers(10'000)).low, 4903, 2);
}

/// Ranks on different nodes decide by them.
TEST(Median, HasTheSameBitsEverywhere) {
  EXPECT_EQ(median(first_numbers(37)).confidence, 0x1.e7eb8c968p-1);
  EXPECT_EQ(median(first_numbers(1000)).confidence, 0x1.e84c852a7ceaep-1);
  EXPECT_EQ(median(first_numbers(65536)).confidence, 0x1.e6b0ea2f2efbep-1);
}

TEST(Median, IntervalsHoldTheTruthAsOftenAsTheySay) {
  std::mt19937 random(7);
  std::exponential_distribution<double> draw(1);
  int held = 0;
  constexpr int trials = 2000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> samples(37);
    for (double& sample : samples) sample = draw(random);
    const Interval interval = median(samples);
    held += interval.low <= std::log(2.0) && std::log(2.0) <= interval.high;
  }
  EXPECT_GE(held, 0.94 * trials);
  EXPECT_LE(held, 0.975 * trials);
}

}  // namespace
