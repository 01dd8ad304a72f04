// What ranks own of a cut, and that the tests' matrices show a skew that is missing.

#include "part.hpp"
#include "matrices.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace matmul;

namespace {

using Panels = std::function<std::vector<Panel>(Range, const Cut&)>;

const std::vector<Cut> some_cuts{{1, 1, 1}, {2, 1, 1}, {1, 3, 1}, {2, 2, 1}, {2, 3, 1},
                                 {4, 6, 1}, {2, 2, 2}, {1, 1, 5}, {3, 1, 2}, {5, 4, 3}};

/// Every number of a matrix is in one tile.
void expect_covered(std::int64_t rows, std::int64_t columns, const std::vector<Box>& boxes) {
  std::vector<int> times(static_cast<std::size_t>(rows * columns), 0);
  for (const Box& box : boxes)
    for (std::int64_t i = box.rows.begin; i < box.rows.end; ++i)
      for (std::int64_t j = box.columns.begin; j < box.columns.end; ++j)
        ++times[static_cast<std::size_t>(i * columns + j)];
  EXPECT_EQ(times, std::vector<int>(times.size(), 1));
}

void expect_owned_once(const Panels& panels) {
  for (const Shape& shape : {Shape{8, 9, 10}, Shape{5, 6, 7}, Shape{13, 6, 31}})
    for (const Cut& cut : some_cuts) {
      std::vector<Box> a, b, c;
      for (int rank = 0; rank < cut.ranks() + 2; ++rank) {
        const Part part = part_of_rank(shape, cut, rank, panels);
        EXPECT_EQ(part.idle, rank >= cut.ranks());
        if (part.idle) continue;
        EXPECT_EQ(part.rank(part.i, part.j, part.l), rank);
        c.push_back({part.sum(part.l), part.columns});
        for (const Panel& panel : part.panels) {
          if (panel.owner_of_a == part.j) a.push_back({part.rows, panel.k});
          if (panel.owner_of_b == part.i) b.push_back({panel.k, part.columns});
        }
      }
      expect_covered(shape.m, shape.k, a);
      expect_covered(shape.k, shape.n, b);
      expect_covered(shape.m, shape.n, c);
    }
}

TEST(Part, NaturalPanelsAreOwnedOnce) {
  expect_owned_once([](Range k, const Cut& cut) { return natural_panels(k, cut, 0); });
  expect_owned_once([](Range k, const Cut& cut) { return natural_panels(k, cut, 2); });
}

TEST(Part, ShiftedPanelsAreOwnedOnceAndOfOneWidth) {
  for (const std::int64_t widest : {0, 1, 2}) {
    expect_owned_once([widest](Range k, const Cut& cut) { return shifted_panels(k, cut, widest); });
  }
  const auto panels = shifted_panels({0, 20}, {2, 3, 1}, 0);
  ASSERT_EQ(panels.size(), 6u);
  for (const Panel& panel : panels) EXPECT_LE(panel.k.size(), 4);
  const auto narrow = shifted_panels({0, 20}, {2, 3, 1}, 3);
  ASSERT_EQ(narrow.size(), 12u);
  for (const Panel& panel : narrow) EXPECT_LE(panel.k.size(), 2);
}

TEST(Part, NaturalPanelsKeepToAWidth) {
  for (const Panel& panel : natural_panels({3, 50}, {2, 3, 1}, 4)) {
    EXPECT_LE(panel.k.size(), 4);
    EXPECT_GT(panel.k.size(), 0);
  }
}

/// What comes out of Cannon's algorithm on q x q ranks if nobody skews: rank (i, j) adds the
/// products of A's block (i, j + t) and B's block (i + t, j).
std::vector<double> without_skew(std::int64_t n, std::int64_t q, const std::vector<double>& a,
                                 const std::vector<double>& b) {
  const std::int64_t side = n / q;
  const auto at = [&](const std::vector<double>& matrix, std::int64_t i, std::int64_t j) {
    return matrix[static_cast<std::size_t>(i * n + j)];
  };
  std::vector<double> c(static_cast<std::size_t>(n * n), 0.0);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t t = 0; t < q; ++t)
        for (std::int64_t k = 0; k < side; ++k)
          c[static_cast<std::size_t>(i * n + j)] +=
              at(a, i, (j / side + t) % q * side + k) * at(b, (i / side + t) % q * side + k, j);
  return c;
}

std::vector<double> numbers(std::int64_t n, std::uint64_t seed) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < n * n; ++i) all.push_back(generated(seed, i / n, i % n));
  return all;
}

TEST(Generated, ShowsAMissingSkew) {
  for (const std::int64_t q : {2, 3, 4}) {
    const std::int64_t n = 12;
    const Shape shape{n, n, n};
    const std::vector<double> a = numbers(n, 1), b = numbers(n, 2);
    EXPECT_NE(without_skew(n, q, a, b), plain_product(shape, a, b));

    // The study's inputs did not: all rows of either matrix alike, or all blocks.
    std::vector<double> rows = a, rows_of_b = b, blocks = a, blocks_of_b = b;
    const auto side = static_cast<std::size_t>(n / q), row = static_cast<std::size_t>(n);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i] = a[i % row];
      rows_of_b[i] = b[i % row];
      const std::size_t first = i / row % side * row + i % row % side;
      blocks[i] = a[first];
      blocks_of_b[i] = b[first];
    }
    EXPECT_EQ(without_skew(n, q, rows, rows_of_b), plain_product(shape, rows, rows_of_b));
    EXPECT_EQ(without_skew(n, q, blocks, blocks_of_b), plain_product(shape, blocks, blocks_of_b));
  }
}

TEST(Generated, IsMadeOfIntegersOfAllValues) {
  std::vector<int> times(17, 0);
  for (const double number : numbers(100, 3)) {
    ASSERT_EQ(number, std::floor(number));
    ++times.at(static_cast<std::size_t>(number + 8));
  }
  for (const int count : times) EXPECT_NEAR(count, 10000 / 17, 120);
  EXPECT_NE(numbers(5, 1), numbers(5, 2));
}

}  // namespace
