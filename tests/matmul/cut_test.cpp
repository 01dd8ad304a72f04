// How products are cut: against all cuts, rank by rank.

#include "cut.hpp"

#include <halocline/grid.hpp>

#include <gtest/gtest.h>

#include <cmath>

using namespace matmul;
using halocline::part_of;

namespace {

const std::vector<Shape> shapes{
    {2048, 2048, 2048}, {1024, 1024, 1024}, {512, 512, 512}, {8192, 8192, 64}, {64, 64, 500000},
    {4096, 64, 4096},   {64, 4096, 4096},   {1, 1, 100000},  {100000, 1, 1},   {1, 100000, 1},
    {1000, 1, 1000},    {1, 1000, 1000},    {1000, 1000, 1}, {7, 11, 13},      {3, 3, 3},
    {1, 1, 1},          {97, 89, 83},       {5000, 300, 20}, {20, 5000, 300},  {12345, 678, 9}};
constexpr int most_ranks = 64;

/// What rank (i, j, l) sends, message by message.
std::int64_t sent(const Shape& shape, const Cut& cut, int i, int j, int l) {
  const auto rows = part_of(shape.m, cut.m, i), columns = part_of(shape.n, cut.n, j);
  const auto depth = part_of(shape.k, cut.k, l);
  std::int64_t sum = 0;
  for (int other = 0; other < cut.n; ++other)
    if (other != j) sum += rows.size() * part_of(depth.size(), cut.n, j).size();
  for (int other = 0; other < cut.m; ++other)
    if (other != i) sum += part_of(depth.size(), cut.m, i).size() * columns.size();
  for (int other = 0; other < cut.k; ++other)
    if (other != l) sum += part_of(rows.size(), cut.k, other).size() * columns.size();
  return sum;
}

struct Cost {
  Cut cut;
  std::int64_t words = 0;
  double work = 0;
};

std::vector<Cost> all_costs(const Shape& shape) {
  std::vector<Cost> costs;
  for (int m = 1; m <= most_ranks; ++m)
    for (int n = 1; m * n <= most_ranks; ++n)
      for (int k = 1; m * n * k <= most_ranks; ++k) {
        if (m > shape.m || n > shape.n || k > shape.k) continue;
        Cost cost{{m, n, k}};
        for (int i = 0; i < m; ++i)
          for (int j = 0; j < n; ++j)
            for (int l = 0; l < k; ++l) {
              cost.words = std::max(cost.words, sent(shape, cost.cut, i, j, l));
              cost.work = std::max(
                  cost.work, Shape{part_of(shape.m, m, i).size(), part_of(shape.n, n, j).size(),
                                   part_of(shape.k, k, l).size()}
                                 .multiplications());
            }
        costs.push_back(cost);
      }
  return costs;
}

TEST(Cut, SendsTheLeastOfAllCuts) {
  ASSERT_EQ(shapes.size(), 20u);
  for (const Shape& shape : shapes) {
    const std::vector<Cost> costs = all_costs(shape);
    for (int ranks = 2; ranks <= most_ranks; ++ranks) {
      double even = shape.multiplications();
      for (const Cost& cost : costs)
        if (cost.cut.ranks() <= ranks) even = std::min(even, cost.work);
      std::int64_t least = -1;
      for (const Cost& cost : costs)
        if (cost.cut.ranks() <= ranks && cost.work <= 1.1 * even &&
            (least < 0 || cost.words < least))
          least = cost.words;
      const Cut cut = best_cut(shape, cuts(shape, ranks));
      EXPECT_LE(cut.ranks(), ranks);
      EXPECT_LE(most_multiplications(shape, cut), 1.1 * even);
      EXPECT_EQ(words(shape, cut), least)
          << ranks << " ranks, " << shape.m << " x " << shape.n << " x " << shape.k;
      EXPECT_GE(1e-9 + static_cast<double>(least) + 1e-12 * static_cast<double>(least),
                least_words(shape, cut.ranks()));
    }
  }
}

TEST(Cut, CountsWhatRanksSend) {
  for (const Shape& shape : shapes)
    for (const Cost& cost : all_costs(shape)) {
      ASSERT_EQ(words(shape, cost.cut), cost.words);
      ASSERT_EQ(most_multiplications(shape, cost.cut), cost.work);
    }
}

TEST(Cut, ReachesTheLowerBoundWhereSidesDivide) {
  // One, two and three axes cut: the three cases of the theorem.
  for (const auto& [shape, ranks, cut] : {std::tuple{Shape{4096, 64, 64}, 4, Cut{4, 1, 1}},
                                          std::tuple{Shape{1024, 1024, 16}, 16, Cut{4, 4, 1}},
                                          std::tuple{Shape{64, 64, 64}, 8, Cut{2, 2, 2}}}) {
    EXPECT_EQ(best_cut(shape, cuts(shape, ranks)), cut);
    EXPECT_NEAR(static_cast<double>(words(shape, cut)), least_words(shape, ranks), 1e-6);
  }
}

TEST(Cut, LeavesRanksIdleWhereThatSendsLess) {
  const auto best = [](const Shape& shape, int ranks) {
    return best_cut(shape, cuts(shape, ranks));
  };
  const Shape cube{960, 960, 960};
  EXPECT_EQ(best(cube, 17).ranks(), 16);
  EXPECT_LT(words(cube, best(cube, 17)), words(cube, {17, 1, 1}));
  EXPECT_EQ(best({1, 1, 1}, 5), (Cut{1, 1, 1}));
  EXPECT_EQ(best({3, 1, 1}, 8).ranks(), 3);
}

TEST(Cut, HasLayersOnRequest) {
  const Shape shape{64, 64, 500000};
  EXPECT_EQ(best_cut(shape, cuts(shape, 2)), (Cut{1, 1, 2}));
  EXPECT_EQ(best_cut(shape, cuts(shape, 2, false)).k, 1);
}

}  // namespace
