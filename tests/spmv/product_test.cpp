// Whole products on several ranks through every scheme, against a plain loop.

#include "product.hpp"

#include <halocline/more/mpi.hpp>
#include <halocline/more/style.hpp>
#include <halocline/range.hpp>
#include "generate.hpp"
#include "reference.hpp"

#include "common/ranks.hpp"
#include "common/tested_schemes.hpp"

#include <gtest/gtest.h>

using namespace spmv;
using namespace halocline;

namespace {

std::string what(const Plan& plan, const Matrix& whole, unsigned seed) {
  return plan.scheme.str() + ", mode " + std::to_string(static_cast<int>(plan.mode)) + ", layout " +
         std::to_string(static_cast<int>(plan.layout)) + ", sigma " + std::to_string(plan.sigma) +
         ", " + std::to_string(plan.threads) + " threads, " + std::to_string(whole.all_rows) +
         " x " + std::to_string(whole.all_columns) + ", seed " + std::to_string(seed);
}

/// Three products of two vectors in turn, each of which changes from time to time.
void expect_right(const Matrix& whole, const Matrix& mine, const Plan& plan, unsigned seed) {
  Product product(world(), mine, plan, 2);
  const Range own = product.halo().own;
  std::vector<double> y(static_cast<std::size_t>(mine.rows.size()));
  for (unsigned step = 0; step < 4; ++step) {
    const int input = static_cast<int>(step % 2);
    const std::vector<double> x = reference::numbers(whole.all_columns, seed + step);
    std::copy(x.begin() + own.begin, x.begin() + own.end, product.x(input).begin());
    std::ranges::fill(y, 77);
    product.multiply(y.data(), input);
    const std::vector<double> right = reference::product(whole, x);
    EXPECT_TRUE(std::equal(y.begin(), y.end(), right.begin() + mine.rows.begin))
        << what(plan, whole, seed) << ", step " << step;
    // A rank that reads in place is as far only if all have been told.
    HALOCLINE_MPI(MPI_Barrier, world());
  }
}

TEST(Product, HasTheBitsOfAPlainOneThroughEveryScheme) {
  const Matrix whole = reference::matrix(40, 40, 3);
  const Matrix mine = reference::part(whole, part_of(40, ranks(), me()));
  // On many ranks, which take turns on few cores, schemes of each family stand for all.
  int which = 0;
  for (const std::string& scheme : tested_schemes()) {
    if (ranks() > 2 && which++ % 12 != 0) continue;
    for (const Mode mode : {Mode::vector, Mode::naive, Mode::task})
      expect_right(whole, mine,
                   {.layout = Layout::sell,
                    .sigma = 1,
                    .mode = mode,
                    .threads = mode == Mode::task ? 2 : 1,
                    .scheme = scheme},
                   7);
  }
}

TEST(Product, HasThemByHeads) {
  const Matrix whole = reference::matrix(90, 90, 12);
  const Matrix mine = reference::part(whole, part_of(90, ranks(), me()));
  for (const char* const scheme : {"p2p:nonblocking+heads=1", "p2p:nonblocking+heads=2",
                                   "shm:signal+access=direct+heads=2", "rma:put:fence+heads=2"})
    for (const Mode mode : {Mode::vector, Mode::naive})
      expect_right(whole, mine, {.mode = mode, .scheme = scheme}, 8);
}

TEST(Product, HasTheBitsOfAPlainOneForAnyMatrix) {
  unsigned seed = 20;
  for (const auto& [rows, columns] : {std::pair{1, 1}, {2, 50}, {50, 2}, {150, 150}})
    for (const std::int64_t sigma : {0, 32})
      for (const Layout layout : {Layout::automatic, Layout::crs, Layout::sell})
        for (const Mode mode : {Mode::vector, Mode::naive, Mode::task}) {
          if (layout != Layout::sell && sigma > 0) continue;
          const Matrix whole = reference::matrix(rows, columns, ++seed);
          const Matrix mine = reference::part(whole, part_of(rows, ranks(), me()));
          const Plan plan{.layout = layout,
                          .sigma = sigma,
                          .mode = mode,
                          .threads = mode == Mode::task || seed % 2 == 0 ? 2 : 1,
                          .scheme = seed % 3 == 0 ? "shm:signal+access=direct" : "p2p:nonblocking"};
          expect_right(whole, mine, plan, seed);
        }
}

TEST(Product, TakesAnyRowsOnARank) {
  // All on the last rank; then uneven parts.
  const Matrix whole = reference::matrix(60, 60, 9);
  for (const bool last : {true, false}) {
    const auto end = [&](int rank) -> std::int64_t {
      if (rank == ranks()) return 60;
      return last || rank == 0 ? 0 : std::min(60, rank * rank * 3);
    };
    const Matrix mine = reference::part(whole, {end(me()), end(me() + 1)});
    for (const Mode mode : {Mode::vector, Mode::naive})
      expect_right(whole, mine, {.mode = mode}, 1);
  }
}

TEST(Product, HasThemFromHalfOfASymmetricMatrix) {
  Matrix whole = generate(generator("", "7pt:12,9,5"), {0, 540});
  for (const char* const scheme : {"p2p:nonblocking", "shm:signal+access=direct"})
    for (const int threads : {1, 2}) {
      const Matrix mine = reference::part(whole, part_of(540, ranks(), me()));
      const auto plan = [&](Mode mode, std::optional<Style> style = {}) {
        return Plan{.layout = Layout::symmetric,
                    .mode = mode,
                    .style = std::move(style),
                    .threads = threads,
                    .scheme = scheme};
      };
      expect_right(whole, mine, plan(Mode::vector), 5);
      expect_right(whole, mine, plan(Mode::naive), 6);
      if (threads > 1) expect_right(whole, mine, plan(Mode::task), 7);
      expect_right(whole, mine, plan(Mode::vector, Style("funneled")), 8);
    }
}

TEST(Halo, IsWhatRowsNeedAndInOnePiece) {
  const Matrix whole = reference::matrix(80, 80, 4);
  const Matrix mine = reference::part(whole, part_of(80, ranks(), me()));
  const Halo halo = halo_of(world(), mine);
  EXPECT_EQ(halo.own, mine.rows);
  EXPECT_TRUE(std::ranges::is_sorted(halo.outside));
  std::set<std::int64_t> wanted;
  for (const std::int64_t column : mine.columns)
    if (!halo.owns(column)) wanted.insert(column);
  EXPECT_TRUE(std::ranges::equal(halo.outside, wanted));
  std::ptrdiff_t next = halo.own.size();
  for (const Link& link : halo.pattern.receives())
    for (const Block& block : link.blocks) {
      EXPECT_EQ(block.offset, next);
      next += static_cast<std::ptrdiff_t>(block.size());
    }
  EXPECT_EQ(next, halo.elements());
}

TEST(Product, CountsRowsThatNeedNobody) {
  // A chain: of each rank only the outermost rows need others.
  Matrix whole;
  whole.rows = {0, 60};
  whole.all_rows = whole.all_columns = 60;
  for (std::int64_t row = 0; row < 60; ++row) {
    for (const std::int64_t column : {row - 1, row, row + 1})
      if (column >= 0 && column < 60) whole.columns.push_back(column);
    whole.begin.push_back(std::ssize(whole.columns));
  }
  whole.values.assign(whole.columns.size(), 1);
  const Matrix mine = reference::part(whole, part_of(60, ranks(), me()));
  const Product product(world(), mine, {.mode = Mode::naive});
  const std::int64_t borders = (me() > 0) + (me() + 1 < ranks());
  EXPECT_EQ(product.inner_rows(), mine.rows.size() - borders);
  EXPECT_EQ(std::ssize(product.halo().outside), borders);
}

}  // namespace
