// What is said of samples, on samples of which the truth is known.

#include "statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace {

using namespace halobench;

std::vector<double> first_numbers(std::size_t n) {
  std::vector<double> samples(n);
  std::iota(samples.rbegin(), samples.rend(), 1.0);
  return samples;
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
