// One truth: whatever the ranks, threads, decomposition, depth, scheme and reduction, partdiff's
// values, iterations and residuum are those of the plain reference, bit for bit.

#include "reference.hpp"

#include <halocline/cut.hpp>
#include <halocline/environment.hpp>
#include <halocline/more/reduction.hpp>
#include <halocline/range.hpp>

#include <solver.hpp>

#include "common/its_turn.hpp"
#include "common/tested_schemes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <tuple>

using namespace halocline;
using namespace partdiff;

namespace {

struct Case {
  bool jacobi;
  std::int64_t lines;
  bool sine;
  double accuracy;  // 0: iterations
  std::int64_t iterations;
};

/// Every rank computes it for itself, once.
const Reference& expected(const Case& c) {
  static std::map<std::tuple<bool, std::int64_t, bool, double, std::int64_t>, Reference> known;
  const auto key = std::tuple(c.jacobi, c.lines, c.sine, c.accuracy, c.iterations);
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  return known
      .emplace(key, reference(c.jacobi, static_cast<std::size_t>(c.lines), c.sine, c.accuracy,
                              static_cast<std::size_t>(c.iterations)))
      .first->second;
}

std::string text(const Case& c, const Settings& s) {
  std::ostringstream out;
  out << (c.jacobi ? "Jacobi" : "Gauss-Seidel") << ", " << c.lines
      << " lines, f=" << (c.sine ? "sine" : "0");
  if (c.accuracy > 0)
    out << ", accuracy " << c.accuracy << " by " << name(s.reduction);
  else
    out << ", " << c.iterations << " iterations";
  out << ", " << s.scheme.str() << (s.decomposition == Decomposition::rows ? ", rows" : ", blocks")
      << ", depth " << s.halo_depth << ", " << s.threads << " threads"
      << (s.exact ? "" : ", catch-up");
  return out.str();
}

std::unique_ptr<Solver> make(const Case& c, Settings& settings) {
  settings.termination = c.accuracy > 0 ? Termination::accuracy : Termination::iterations;
  settings.accuracy = c.accuracy;
  settings.iterations = c.iterations;
  const Problem problem(c.lines, c.sine ? Function::sine : Function::zero);
  return c.jacobi ? make_jacobi_solver(world(), problem, settings)
                  : make_gauss_seidel_solver(world(), problem, settings);
}

void compare(const Solver& solver, const Outcome& outcome, const Reference& right) {
  EXPECT_EQ(outcome.iterations, static_cast<std::int64_t>(right.iterations));
  EXPECT_EQ(outcome.residuum, right.residuum);
  const Domain& domain = solver.domain();
  const Range rows = domain.points(0), columns = domain.points(1);
  for (auto i = rows.begin; i < rows.end; ++i)
    for (auto j = columns.begin; j < columns.end; ++j) {
      const double mine = solver.solution()[domain.offset(i, j)];
      const double theirs =
          right.values[static_cast<std::size_t>(i) * right.points + static_cast<std::size_t>(j)];
      ASSERT_EQ(std::bit_cast<std::uint64_t>(mine), std::bit_cast<std::uint64_t>(theirs))
          << "at point (" << i << ", " << j << "): " << mine << " instead of " << theirs;
    }
}

/// Some halos are wider than some subdomains, which is an error and not a case.
bool possible(const Case& c, const Settings& s) {
  const auto least = [&](int parts) { return (8 * c.lines + 7) / parts; };
  return s.halo_depth <= 1 || s.halo_depth <= least(mpi::size(world()));
}

/// Some of a long list of configurations must do: others for each number of ranks, fewer where many
/// share few cores; on one and two ranks one in `few`, and all in the soak.
bool chosen(unsigned few = 11) {
  static const auto ranks = static_cast<unsigned>(mpi::size(world()));
  static unsigned turn = ranks;
  const unsigned all = ranks > 4 ? 37 : ranks > 2 ? 13 : 1;
  const unsigned every = in_soak() || ranks > 4 ? all : ranks > 2 ? 29 : std::max(few, one_in());
  return turn++ % every == 0;
}

void check(const Case& c, Settings settings, int repetitions = 1) {
  if (!possible(c, settings)) return;
  SCOPED_TRACE(text(c, settings));
  const auto solver = make(c, settings);
  for (int i = 0; i < repetitions; ++i) compare(*solver, solver->solve(), expected(c));
}

std::vector<Case> cases(std::int64_t lines) {
  std::vector<Case> all;
  for (bool jacobi : {true, false})
    for (bool sine : {false, true}) {
      all.push_back({jacobi, lines, sine, 1e-4, 0});
      all.push_back({jacobi, lines, sine, 0, 1});
      all.push_back({jacobi, lines, sine, 0, 17});
    }
  return all;
}

}  // namespace

TEST(Partdiff, SizesDecompositionsDepthsAndThreads) {
  // With 20 lines even the thinnest of four ranks' parts has Gauss-Seidel sweeps in flight.
  for (std::int64_t lines : {0, 1, 2, 5, 9, 20})
    for (const Case& c : cases(lines))
      for (auto decomposition : {Decomposition::rows, Decomposition::blocks})
        for (int depth : {0, 1, 2, 5}) {
          if (depth > 1 && !c.jacobi) continue;
          Settings settings;
          settings.decomposition = decomposition;
          settings.halo_depth = depth;
          settings.reduction = c.jacobi ? ReductionKind::allreduce : ReductionKind::chain;
          // Threads that outnumber the cores and have work to share take turns, slowly.
          if (lines < 20) settings.threads = 1 + static_cast<int>(lines + depth + c.iterations) % 3;
          if (chosen()) check(c, settings);
        }
}

TEST(Partdiff, LargestSizeOnUpToEightThreads) {
  unsigned turn = 0;
  for (bool jacobi : {true, false})
    for (int threads = 1; threads <= 8; ++threads)
      if (its_turn(++turn)) check({jacobi, 100, threads % 2 == 0, 0, 19}, {.threads = threads});
}

TEST(Partdiff, EveryReduction) {
  for (auto reduction : {ReductionKind::allreduce, ReductionKind::iallreduce, ReductionKind::chain,
                         ReductionKind::last, ReductionKind::accumulate})
    for (auto decomposition : {Decomposition::rows, Decomposition::blocks})
      for (const Case& c : cases(1))
        if (c.accuracy > 0 && chosen())
          check(c, {.decomposition = decomposition, .reduction = reduction}, 2);
}

TEST(Partdiff, ReturnsOverManySnapshots) {
  // Hundreds of sweeps, more than are between two copies, then back to the right one.
  check({false, 1, true, 1e-7, 0}, {.reduction = ReductionKind::chain}, 2);
  check({false, 1, false, 1e-7, 0}, {.reduction = ReductionKind::iallreduce});
}

TEST(Partdiff, CatchUpEndsOnOneSweepForAll) {
  const Case c{false, 1, true, 1e-6, 0};
  Settings settings{.reduction = ReductionKind::chain, .exact = false};
  const auto solver = make(c, settings);
  const Outcome outcome = solver->solve();
  const Reference& serial = expected(c);
  EXPECT_GE(outcome.iterations, static_cast<std::int64_t>(serial.iterations));
  // What all ranks have is that sweep's result.
  compare(*solver, outcome, expected({false, 1, true, 0, outcome.iterations}));
}

TEST(Partdiff, EveryScheme) {
  int turn = 0;
  for (const std::string& scheme : tested_schemes())
    for (bool jacobi : {true, false})
      for (auto decomposition : {Decomposition::rows, Decomposition::blocks}) {
        ++turn;
        if (!chosen(3)) continue;  // of four, at least one
        const Case c{jacobi, 1 + turn % 3, turn % 2 == 0, turn % 3 == 0 ? 0 : 1e-3, 7};
        check(c,
              {.scheme = scheme,
               .decomposition = decomposition,
               .reduction = jacobi ? ReductionKind::allreduce : ReductionKind::chain,
               .threads = 1 + turn % 2},
              2);
      }
}
