// One truth: whatever the ranks, their grid, threads, scheme and depth, laplace's values,
// iterations and residual are those of the plain loops, bit for bit.

#include "reference.hpp"

#include <halocline/cut.hpp>
#include <halocline/environment.hpp>
#include <halocline/error.hpp>
#include <halocline/range.hpp>

#include <solver.hpp>

#include "common/its_turn.hpp"
#include "common/tested_schemes.hpp"

#include <gtest/gtest.h>
#include <bit>
#include <cstdlib>
#include <map>
#include <sstream>
#include <tuple>

using namespace halocline;
using namespace laplace;

namespace {

struct Case {
  Problem problem;
  std::int64_t every = 100;
  double tolerance = 1e-4;
  std::int64_t most = 100'000;
};

/// Every rank computes it for itself, once.
Reference& expected(const Case& c) {
  const Problem& p = c.problem;
  static std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, double, double, std::int64_t,
                             double, std::int64_t>,
                  Reference>
      known;
  const auto key =
      std::tuple(p.x, p.y, p.z, p.offset, p.circle.value_or(-1), c.every, c.tolerance, c.most);
  const auto [found, is_new] =
      known.try_emplace(key, Reference{static_cast<std::size_t>(p.x), static_cast<std::size_t>(p.y),
                                       static_cast<std::size_t>(p.z), p.offset, p.circle});
  if (is_new)
    found->second.solve(static_cast<std::size_t>(c.every), c.tolerance,
                        static_cast<std::size_t>(c.most));
  return found->second;
}

std::string text(const Case& c, const Settings& s) {
  std::ostringstream out;
  out << c.problem.x << " x " << c.problem.y << " x " << c.problem.z << " from " << c.problem.offset
      << ", every " << c.every << " to " << c.tolerance << ", " << s.scheme.str() << ", depth "
      << s.depth << ", " << s.threads << " threads, ranks";
  for (const int part : s.dims) out << ' ' << part;
  return out.str();
}

/// Some halos are wider than some subdomains, which is an error and not a case.
bool possible(const Case& c, const Settings& s) {
  const std::vector<std::int64_t> cells = c.problem.cells();
  const std::vector<int> dims =
      s.dims.empty() ? choose_dims(mpi::size(world()), cells, Decomposition::blocks,
                                   std::vector<HaloWidth>(3, HaloWidth(1)), {false, false, false})
                     : s.dims;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (dims[axis] > cells[axis] || (dims[axis] > 1 && cells[axis] / dims[axis] < s.depth))
      return false;
  return true;
}

/// Where many ranks share few cores, some of a long list of configurations must do: others for each
/// number of ranks.
bool chosen() {
  static const auto ranks = static_cast<unsigned>(mpi::size(world()));
  static const unsigned every = ranks > 4 ? 23 : ranks > 2 ? (in_soak() ? 7 : 17) : one_in();
  static unsigned turn = ranks;
  return turn++ % every == 0;
}

void check(const Case& c, Settings settings, int repetitions = 1) {
  settings.check_every = c.every;
  settings.tolerance = c.tolerance;
  settings.max_iterations = c.most;
  if (!possible(c, settings)) return;
  SCOPED_TRACE(text(c, settings));
  SyncSolver solver(world(), c.problem, settings);
  Reference& right = expected(c);
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const Outcome outcome = solver.solve();
    EXPECT_EQ(outcome.iterations, static_cast<std::int64_t>(right.iterations));
    EXPECT_EQ(outcome.converged, right.converged);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(outcome.residual),
              std::bit_cast<std::uint64_t>(right.residual));
    ASSERT_FALSE(outcome.history.empty());
    EXPECT_EQ(outcome.history.front().iteration, 0);
    EXPECT_EQ(outcome.history.back().iteration, outcome.iterations);
    const Domain& domain = solver.domain();
    const Range planes = domain.points(0), rows = domain.points(1), points = domain.points(2);
    for (auto k = planes.begin; k < planes.end; ++k)
      for (auto j = rows.begin; j < rows.end; ++j)
        for (auto i = points.begin; i < points.end; ++i) {
          const double mine = solver.solution()[domain.offset(k, j, i)];
          const double theirs = right.at(static_cast<std::size_t>(k), static_cast<std::size_t>(j),
                                         static_cast<std::size_t>(i));
          ASSERT_EQ(std::bit_cast<std::uint64_t>(mine), std::bit_cast<std::uint64_t>(theirs))
              << "at point (" << k << ", " << j << ", " << i << "): " << mine << " instead of "
              << theirs;
        }
  }
}

/// Every way to write the ranks as a grid.
std::vector<std::vector<int>> process_grids() {
  std::vector<std::vector<int>> all{{}};
  const int ranks = mpi::size(world());
  for (int a = 1; a <= ranks; ++a)
    for (int b = 1; a * b <= ranks; ++b)
      if (ranks % (a * b) == 0) all.push_back({a, b, ranks / (a * b)});
  return all;
}

Problem problem(std::int64_t x, std::int64_t y, std::int64_t z) {
  return {.x = x, .y = y, .z = z};
}

}  // namespace

TEST(Laplace, SizesGridsDepthsAndThreads) {
  int turn = 0;
  for (const Problem& p : {problem(20, 20, 20), problem(9, 31, 17), problem(33, 8, 24)})
    for (const auto& dims : process_grids())
      for (int depth : {0, 1, 2, 3, 7}) {
        ++turn;
        if (chosen()) check({p}, {.dims = dims, .depth = depth, .threads = 1 + turn % 2});
      }
}

TEST(Laplace, ThreadsShareWhatARankOwns) {
  for (int threads : {2, 3})
    for (int depth : {0, 5})
      check({problem(70, 50, 60), 30, 1e-4, 75}, {.depth = depth, .threads = threads});
}

TEST(Laplace, AnyCheckIntervalAndEnd) {
  for (std::int64_t every : {1, 3, 10, 1000})
    for (std::int64_t most : {0, 1, 29, 250})
      if (chosen()) check({problem(16, 16, 16), every, 1e-3, most}, {.depth = 2});
  check({problem(16, 16, 16), 7, 1e-6, 100'000}, {});
}

TEST(Laplace, AxesOfOnePointAndMoreRanksThanPoints) {
  for (const Problem& p : {problem(1, 1, 1), problem(1, 7, 12), problem(12, 1, 7),
                           problem(7, 12, 1), problem(1, 1, 3), problem(2, 1, 1)})
    for (int depth : {0, 1}) check({p, 10}, {.depth = depth, .threads = 2});
}

TEST(Laplace, OffsetAndCircle) {
  check({{.x = 18, .y = 15, .z = 21, .offset = 1}}, {});
  check({{.x = 18, .y = 15, .z = 21, .circle = 0.25}}, {});
  // No point lies in the disc, and nothing has to be done.
  check({{.x = 16, .y = 16, .z = 16, .circle = 0.001}}, {});
}

TEST(Laplace, EveryScheme) {
  const Case c{problem(16, 19, 22), 50, 1e-2};
  for (const std::string& scheme : tested_schemes())
    for (int depth : {0, 1, 4}) {
      if (depth > 1 && scheme.find("access=direct") != scheme.npos) continue;
      if (chosen()) check(c, {.scheme = scheme, .depth = depth}, 2);
    }
}

TEST(Laplace, DirectAccessKnowsNoDepth) {
  Settings settings{.scheme = "shm:signal+access=direct", .depth = 2};
  EXPECT_THROW(SyncSolver(world(), problem(16, 16, 16), settings), Error);
}

TEST(Laplace, ResidualIsThatOfTheReferenceInLongDoubles) {
  const Case c{problem(12, 13, 14), 10, 1e-5};
  Reference& right = expected(c);
  long double residuals = 0, sources = 0;
  for (std::size_t k = 1; k <= right.z; ++k)
    for (std::size_t j = 1; j <= right.y; ++j)
      for (std::size_t i = 1; i <= right.x; ++i) {
        const long double six = static_cast<long double>(right.at(k - 1, j, i)) +
                                right.at(k + 1, j, i) + right.at(k, j - 1, i) +
                                right.at(k, j + 1, i) + right.at(k, j, i - 1) +
                                right.at(k, j, i + 1);
        const long double residual = six - 6 * static_cast<long double>(right.at(k, j, i));
        residuals += residual * residual;
        // Without an offset only the bottom contributes.
        if (k == 1) sources += static_cast<long double>(right.at(0, j, i)) * right.at(0, j, i);
      }
  const auto relative = static_cast<double>(std::sqrt(residuals) / std::sqrt(sources));
  EXPECT_NEAR(right.residual / relative, 1, 1e-10);
  EXPECT_LT(relative, 1e-5);
  check(c, {});
}

TEST(Problem, GrowsAlongXThenYThenZ) {
  using Dims = std::vector<int>;
  EXPECT_EQ(growing_dims(1), (Dims{1, 1, 1}));
  EXPECT_EQ(growing_dims(2), (Dims{1, 1, 2}));
  EXPECT_EQ(growing_dims(4), (Dims{1, 2, 2}));
  EXPECT_EQ(growing_dims(8), (Dims{2, 2, 2}));
  EXPECT_EQ(growing_dims(32), (Dims{2, 4, 4}));
  EXPECT_EQ(growing_dims(6), (Dims{1, 3, 2}));
}
