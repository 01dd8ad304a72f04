// Powers on several ranks, against as many plain products.

#include "powers.hpp"

#include <halocline/more/mpi.hpp>

#include "generate.hpp"
#include "reference.hpp"
#include "wavefront.hpp"

#include "common/ranks.hpp"
#include "common/tested_schemes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>

using namespace spmv;
using namespace halocline;

namespace {

void expect_right(const Matrix& whole, const Plan& plan, int power, const std::string& what) {
  const Matrix mine = reference::part(whole, part_of(whole.all_rows, ranks(), me()));
  Powers powers(world(), mine, plan, power);
  for (unsigned repetition = 0; repetition < 2; ++repetition) {
    std::vector<double> x = reference::numbers(whole.all_rows, repetition + 5);
    std::copy(x.begin() + mine.rows.begin, x.begin() + mine.rows.end, powers.x().begin());
    const std::span<const double> y = powers.multiply();
    for (int step = 0; step < power; ++step) x = reference::product(whole, x);
    EXPECT_TRUE(
        std::equal(y.begin(), y.end(), x.begin() + mine.rows.begin, x.begin() + mine.rows.end))
        << what << ", " << plan.scheme.str() << ", power " << power << ", " << plan.threads
        << " threads, " << powers.at_a_time() << " at a time, repetition " << repetition;
    HALOCLINE_MPI(MPI_Barrier, world());
  }
}

TEST(Powers, HaveTheBitsOfProducts) {
  unsigned seed = 50;
  for (const std::int64_t size : {1, 7, 60, 200})
    for (const int power : {1, 2, 5})
      for (const Layout layout : {Layout::crs, Layout::sell}) {
        const Matrix whole = reference::matrix(size, size, ++seed);
        expect_right(whole, {.layout = layout, .threads = 1 + static_cast<int>(seed % 2)}, power,
                     "seed " + std::to_string(seed));
      }
}

TEST(Powers, HaveThemThroughEveryScheme) {
  const Matrix whole = generate(generator("", "5pt:6,9"), {0, 54});
  int which = 0;
  for (const std::string& scheme : tested_schemes())
    if (ranks() <= 2 || which++ % 12 == 0) expect_right(whole, {.scheme = scheme}, 4, "5 points");
}

/// Sweeps follow each other only where there are many pieces: of grids with some thousand points.
TEST(Powers, HaveThemWhereSweepsFollowEachOther) {
  const Matrix whole = generate(generator("", "9pt:40,700"), {0, 28'000});
  for (const int threads : {1, 2, 3})
    for (const int power : {3, 8}) {
      expect_right(whole, {.threads = threads}, power, "9 points");
      expect_right(whole, {.layout = Layout::crs, .threads = threads}, power, "9 points");
    }
}

/// Whatever the order, and however far threads are: each visit finds done what it reads.
TEST(Wavefront, TakesPiecesWhoseNeighboursTheSweepBeforeHasTaken) {
  std::mt19937 dice(3);
  for (const int pieces : {1, 5, 40})
    for (const int sweeps : {1, 2, 5, 8})
      for (const int threads : {1, 2, 3}) {
        Neighbours neighbours(static_cast<std::size_t>(pieces));
        std::vector<std::int32_t> order;
        for (std::int32_t piece = 0; piece < pieces; ++piece) {
          order.push_back(piece);
          for (std::int32_t other = 0; other <= piece; ++other) {
            if (other < piece - 2 && dice() % 10 > 0) continue;
            neighbours[static_cast<std::size_t>(piece)].push_back(other);
            if (other < piece) neighbours[static_cast<std::size_t>(other)].push_back(piece);
          }
        }
        std::ranges::shuffle(order, dice);
        const auto visits = wavefront(neighbours, order, sweeps, threads);
        std::set<std::pair<std::int32_t, int>> taken;
        std::size_t count = 0;
        for (std::size_t thread = 0; thread < visits.size(); ++thread) {
          std::set<std::pair<std::int32_t, int>> done;  // that this thread can be sure of
          std::ptrdiff_t heard = 0;
          for (const Visit& visit : visits[thread]) {
            for (; heard < visit.after; ++heard) {
              const Visit& other = visits[thread - 1][static_cast<std::size_t>(heard)];
              done.emplace(other.piece, other.sweep);
            }
            for (const std::int32_t other : neighbours[static_cast<std::size_t>(visit.piece)])
              EXPECT_TRUE(visit.sweep == 0 || done.contains({other, visit.sweep - 1}))
                  << pieces << " pieces, " << sweeps << " sweeps, " << threads << " threads";
            done.emplace(visit.piece, visit.sweep);
            taken.emplace(visit.piece, visit.sweep);
            ++count;
          }
        }
        EXPECT_EQ(count, taken.size());
        EXPECT_EQ(count, static_cast<std::size_t>(pieces * sweeps));
      }
}

}  // namespace
