// The formats on one rank, against a plain loop: the same bits for vectors of every width.

#include "format.hpp"
#include "reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

using namespace spmv;

namespace {

constexpr std::int64_t sizes[] = {1, 2, 7, 8, 9, 31, 64, 200, 1000};

std::vector<std::int32_t> narrow(const std::vector<std::int64_t>& wide) {
  return {wide.begin(), wide.end()};
}

/// y where it is to be written, and something else where not.
void expect_rows(const Format& format, const std::vector<double>& x,
                 const std::vector<double>& right, const std::vector<std::int32_t>& which,
                 int threads, const std::string& what) {
  std::vector<double> y(right.size(), 77);
  const std::vector<std::int64_t> shares = format.shares(threads);
  ASSERT_EQ(shares.size(), static_cast<std::size_t>(threads) + 1);
  for (std::size_t i = 0; i + 1 < shares.size(); ++i) {
    ASSERT_LE(shares[i], shares[i + 1]);
    format.multiply(x.data(), y.data(), shares[i], shares[i + 1]);
  }
  std::vector<double> expected(right.size(), 77);
  for (const std::int32_t row : which)
    expected[static_cast<std::size_t>(row)] = right[static_cast<std::size_t>(row)];
  EXPECT_EQ(y, expected) << what;
}

TEST(Formats, AddInOneOrder) {
  unsigned seed = 0;
  for (const std::int64_t size : sizes)
    for (int round = 0; round < 6; ++round) {
      const Matrix matrix = reference::matrix(size, size + round, ++seed);
      const std::vector<std::int32_t> places = narrow(matrix.columns);
      std::vector<double> x = reference::numbers(size + round, seed + 100);
      const std::vector<double> right = reference::product(matrix, x);
      x.push_back(0);  // for what fills up
      std::vector<std::int32_t> every(static_cast<std::size_t>(size)), some;
      std::iota(every.begin(), every.end(), 0);
      for (const std::int32_t row : every)
        if (row % 3 != round % 3) some.push_back(row);
      for (const auto& which : {every, some, std::vector<std::int32_t>{}}) {
        const Rows rows{matrix.begin, places, matrix.values, which};
        for (const int threads : {1, 3}) {
          const std::string what = std::to_string(size) + " rows, round " + std::to_string(round);
          expect_rows(*make_crs(rows, threads), x, right, which, threads, "CRS, " + what);
          for (const std::int64_t sigma : {1, 16, 1 << 20})
            expect_rows(*make_sell(rows, threads, sigma, static_cast<std::int32_t>(size + round)),
                        x, right, which, threads,
                        "SELL, sigma " + std::to_string(sigma) + ", " + what);
        }
      }
    }
}

TEST(Formats, SortingSavesWhatFillsUp) {
  const Matrix matrix = reference::matrix(1000, 1000, 5);
  const std::vector<std::int32_t> places = narrow(matrix.columns);
  std::vector<std::int32_t> every(1000);
  std::iota(every.begin(), every.end(), 0);
  const Rows rows{matrix.begin, places, matrix.values, every};
  const auto stored = [&](std::int64_t sigma) { return make_sell(rows, 1, sigma, 1000)->stored(); };
  EXPECT_EQ(make_crs(rows, 1)->stored(), matrix.entries());
  EXPECT_LT(stored(64), stored(1));
  EXPECT_LE(stored(1000), stored(64));
  EXPECT_LT(static_cast<double>(stored(1000)), 1.05 * static_cast<double>(matrix.entries()));
}

TEST(Formats, WhatFillsUpMeetsNoNumberOfX) {
  // Rows of 1 and 2 entries beside each other, and an infinite x.
  Matrix matrix;
  matrix.begin = {0, 1, 3};
  const std::vector<std::int32_t> places{0, 0, 1}, which{0, 1};
  const std::vector<double> values{1, 1, 1};
  const double infinite = std::numeric_limits<double>::infinity();
  const std::vector<double> x{infinite, 1, 0};
  std::vector<double> y(2);
  const auto sell = make_sell({matrix.begin, places, values, which}, 1, 1, 2);
  sell->multiply(x.data(), y.data(), 0, sell->slices());
  EXPECT_EQ(y[0], infinite);
  EXPECT_EQ(y[1], infinite);
}

}  // namespace
