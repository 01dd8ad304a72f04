// The formats on one rank, against a plain loop: the same bits for vectors of every width.

#include "format.hpp"
#include "reference.hpp"
#include "slice_columns.hpp"

#include <machine/untouched.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

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
  machine::Untouched<double> y(right.size());  // whole lines, as in programs
  std::ranges::fill(y.span(), 77.0);
  const std::vector<std::int64_t> shares = format.shares(threads);
  ASSERT_EQ(shares.size(), static_cast<std::size_t>(threads) + 1);
  for (std::size_t i = 0; i + 1 < shares.size(); ++i) {
    ASSERT_LE(shares[i], shares[i + 1]);
    format.multiply(x.data(), y.data(), shares[i], shares[i + 1]);
  }
  std::vector<double> expected(right.size(), 77);
  for (const std::int32_t row : which)
    expected[static_cast<std::size_t>(row)] = right[static_cast<std::size_t>(row)];
  EXPECT_TRUE(std::ranges::equal(y.span(), expected)) << what;
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
          expect_rows(
              *make_symmetric(rows, threads, threads, static_cast<std::int32_t>(size + round)), x,
              right, which, threads, "symmetric, " + what);
          for (const std::int64_t sigma : {1, 16, 1 << 20})
            for (const Again again : {Again::soon, Again::late})
              expect_rows(
                  *make_sell(rows, threads, sigma, static_cast<std::int32_t>(size + round), again),
                  x, right, which, threads, "SELL, sigma " + std::to_string(sigma) + ", " + what);
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

/// Rows whose entries lie so far from the diagonal, but for columns that are not there.
Matrix banded(std::int64_t rows, const std::vector<std::int64_t>& distances) {
  Matrix matrix;
  matrix.all_rows = matrix.all_columns = rows;
  matrix.rows = {0, rows};
  for (std::int64_t row = 0; row < rows; ++row) {
    for (const std::int64_t distance : distances)
      if (row + distance >= 0 && row + distance < rows) matrix.columns.push_back(row + distance);
    matrix.begin.push_back(std::ssize(matrix.columns));
  }
  matrix.values = reference::numbers(std::ssize(matrix.columns), 11);
  return matrix;
}

TEST(SliceColumns, AreWrittenInTheFewestBytes) {
  const auto written = [](const Matrix& matrix, const std::vector<std::int32_t>& which) {
    const std::vector<std::int32_t> places = narrow(matrix.columns);
    const Rows rows{matrix.begin, places, matrix.values, which};
    SliceColumns columns(rows, 77);
    columns.lay_out(which);
    // What is read again are the columns of the entries, and what fills up.
    std::vector<std::int32_t> words(static_cast<std::size_t>(columns.words())),
        read(columns.entries().size());
    columns.write(words.data());
    SliceColumns::read(columns.written(), words.data(), columns.steps(), 77, read.data());
    for (std::size_t at = 0; at < read.size(); ++at) {
      const std::int64_t e = columns.entries()[at];
      EXPECT_EQ(read[at], e < 0 ? 77 : places[static_cast<std::size_t>(e)]);
    }
    return std::pair(columns.written(), std::ssize(words));
  };
  const std::vector<std::int32_t> first{0, 1, 2, 3, 4, 5, 6, 7},
      middle{40, 41, 42, 43, 44, 45, 46, 47}, short_one{96, 97, 98, 99},
      apart{20, 3, 44, 16, 50, 9, 71, 80};
  const Matrix three = banded(100, {-1, 0, 1});
  using Expected = std::pair<Written, std::ptrdiff_t>;
  EXPECT_EQ(written(three, middle), Expected(Written::diagonals, 3));
  EXPECT_EQ(written(three, first), Expected(Written::gaps, 2 * 3));
  EXPECT_EQ(written(three, short_one), Expected(Written::gaps, 2 * 3));
  EXPECT_EQ(written(three, apart), Expected(Written::near, 1 + 4 * 3));
  EXPECT_EQ(written(banded(100'000, {-90'000, 0, 90'000}), {0, 20'000, 40'000, 99'000}),
            Expected(Written::far, 8 * 2));
}

TEST(Formats, AddInOneOrderHoweverColumnsAreWritten) {
  for (const std::vector<std::int64_t>& distances :
       {std::vector<std::int64_t>{0}, {-1, 0, 1}, {-200, -14, -1, 0, 1, 14, 200}, {5, 3, -3}}) {
    const Matrix matrix = banded(1003, distances);
    const std::vector<std::int32_t> places = narrow(matrix.columns);
    // Gaps meet no number of x, and no memory beside it.
    std::vector<double> x = reference::numbers(1003, 5);
    x[400] = x[1002] = std::numeric_limits<double>::infinity();
    const std::vector<double> right = reference::product(matrix, x);
    x.push_back(0);
    std::vector<std::int32_t> every(1003);
    std::iota(every.begin(), every.end(), 0);
    const Rows rows{matrix.begin, places, matrix.values, every};
    for (const std::int64_t sigma : {1, 64}) {
      const auto sell = make_sell(rows, 2, sigma, 1003, Again::late);
      expect_rows(*sell, x, right, every, 2, "distances " + std::to_string(distances.size()));
      EXPECT_EQ(std::ssize(sell->columns()), sell->stored());
    }
  }
}

TEST(Formats, HalfOfASymmetricMatrixHasTheSameBits) {
  // Two grids, and a matrix of random rows and their opposites.
  std::vector<Matrix> matrices{banded(1003, {-200, -14, -1, 0, 1, 14, 200}),
                               banded(500, {-31, -30, -29, -1, 0, 1, 29, 30, 31})};
  std::set<std::pair<std::int64_t, std::int64_t>> both;
  const Matrix half = reference::matrix(300, 300, 8);
  for (std::int64_t row = 0; row < 300; ++row)
    for (auto e = static_cast<std::size_t>(half.begin[static_cast<std::size_t>(row)]);
         e < static_cast<std::size_t>(half.begin[static_cast<std::size_t>(row) + 1]); ++e) {
      both.emplace(row, half.columns[e]);
      both.emplace(half.columns[e], row);
    }
  Matrix& random = matrices.emplace_back();
  for (std::int64_t row = 0; row < 300; ++row) {
    for (auto it = both.lower_bound({row, 0}); it != both.end() && it->first == row; ++it)
      random.columns.push_back(it->second);
    random.begin.push_back(std::ssize(random.columns));
  }
  for (Matrix& matrix : matrices) {
    const std::int64_t size = std::ssize(matrix.begin) - 1;
    matrix.values.clear();
    for (std::int64_t row = 0; row < size; ++row)
      for (auto e = static_cast<std::size_t>(matrix.begin[static_cast<std::size_t>(row)]);
           e < static_cast<std::size_t>(matrix.begin[static_cast<std::size_t>(row) + 1]); ++e) {
        const auto [low, high] = std::minmax(row, matrix.columns[e]);
        matrix.values.push_back(std::sin(static_cast<double>(1 + low * 977 + high * 31)));
      }
    const std::vector<std::int32_t> places = narrow(matrix.columns);
    std::vector<double> x = reference::numbers(size, 4);
    const std::vector<double> right = reference::product(matrix, x);
    x.push_back(0);
    std::vector<std::int32_t> every(static_cast<std::size_t>(size)), some;
    std::iota(every.begin(), every.end(), 0);
    for (const std::int32_t row : every)
      if (row % 50 > 2) some.push_back(row);
    for (const auto& which : {every, some})
      for (const int blocks : {1, 2, 7}) {
        const Rows rows{matrix.begin, places, matrix.values, which};
        const auto symmetric = make_symmetric(rows, 2, blocks, static_cast<std::int32_t>(size));
        expect_rows(*symmetric, x, right, which, blocks, std::to_string(blocks) + " blocks");
      }
  }
  const std::vector<std::int32_t> places = narrow(matrices[0].columns);
  std::vector<std::int32_t> every(1003);
  std::iota(every.begin(), every.end(), 0);
  const Rows rows{matrices[0].begin, places, matrices[0].values, every};
  const double entries = static_cast<double>(matrices[0].columns.size());
  // Five of a row's seven entries remain, the next ones on both sides.
  EXPECT_LT(static_cast<double>(make_symmetric(rows, 1, 1, 1003)->stored()), 0.76 * entries);
}

}  // namespace
