// Threads as workers, started by the standard library, so that ThreadSanitizer sees how they begin
// and end.

#include "common/complaint.hpp"

#include <halocline/error.hpp>
#include <halocline/more/async_exchange.hpp>

#include <async_loop.hpp>
#include <grid_system.hpp>
#include <threads.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <thread>

namespace laplace {
namespace {

/// Calls act(thread) on so many threads; what they throw, the first to fail throws.
template <class Act>
void on_threads(ThreadBoard& board, int threads, const Act& act) {
  std::vector<std::thread> all;
  for (int thread = 0; thread < threads; ++thread)
    all.emplace_back([&, thread] {
      try {
        act(thread);
      } catch (...) {
        board.fail(std::current_exception());
      }
    });
  for (std::thread& thread : all) thread.join();
  board.rethrow();
}

class Threads : public testing::TestWithParam<bool> {};

TEST_P(Threads, IterateToTheTolerance) {
  const Problem problem{9, 7, 12, 1.0, {}};
  constexpr int threads = 3;
  ThreadBoard board(threads, GetParam());
  std::vector<std::optional<GridSystem>> systems(threads);
  std::vector<AsyncOutcome> outcomes(threads);
  std::vector<halocline::AsyncCounts> counts(threads);
  on_threads(board, threads, [&](int thread) {
    const auto i = static_cast<std::size_t>(thread);
    systems[i].emplace(problem, thread, threads);
    ThreadTraffic traffic(board, thread, *systems[i]);
    ThreadSum residuals(board, thread, 0), orders(board, thread, 1);
    AsyncSettings settings;
    settings.tolerance = 1e-5;
    settings.max_iterations = 1'000'000;
    settings.halo_period = 0;
    settings.first = thread == 0;
    outcomes[i] = iterate(*systems[i], traffic, residuals, orders, settings);
    counts[i] = traffic.counts();
  });
  halocline::AsyncCounts sum;
  for (std::size_t i = 0; i < threads; ++i) {
    EXPECT_TRUE(outcomes[i].converged);
    EXPECT_LE(outcomes[i].residual, 1e-5);
    EXPECT_EQ(outcomes[i].residual, outcomes[0].residual);
    EXPECT_GT(outcomes[i].iterations, 20);
    sum.sent += counts[i].sent, sum.received += counts[i].received;
    sum.superseded += counts[i].superseded;
  }
  EXPECT_EQ(sum.sent, sum.received + sum.superseded);
  double squared = 0, source = 0;
  for (const auto& system : systems) squared += system->residual(), source += system->source();
  EXPECT_NEAR(std::sqrt(squared / source), outcomes[0].residual, 1e-15);
}

INSTANTIATE_TEST_SUITE_P(Complete, Threads, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Racy, Threads, testing::Values(true));

TEST(Mailbox, HoldsOneCompleteHalo) {
  constexpr int puts = 20'000;
  ThreadBoard board(2, false);
  Mailbox box(40, false);
  std::uint64_t taken = 0, put = 0;
  on_threads(board, 2, [&](int thread) {
    std::vector<double> numbers(40);
    if (thread == 0) {
      for (int i = 1; i <= puts; ++i) {
        std::fill(numbers.begin(), numbers.end(), i);
        put += box.put(numbers, static_cast<std::uint64_t>(i)) ? 1 : 0;
      }
      std::fill(numbers.begin(), numbers.end(), puts + 1);
      while (!box.put(numbers, puts + 1)) std::this_thread::yield();
      ++put;
      return;
    }
    for (std::uint64_t last = 0; last <= puts;) {
      const Mailbox::Taken now = box.take(numbers);
      if (now.iteration == 0) continue;
      EXPECT_GT(now.iteration, last);
      last = now.iteration;
      taken += now.puts;
      for (const double number : numbers) EXPECT_EQ(number, static_cast<double>(last));
    }
  });
  EXPECT_EQ(taken, put);
}

TEST(ThreadSum, EverybodySeesTheSameSumsAndDrainsWhatIsUnderWay) {
  constexpr int threads = 4;
  ThreadBoard board(threads, false);
  on_threads(board, threads, [&](int thread) {
    ThreadSum sum(board, thread, 0);
    for (int phase = 0; phase < 3; ++phase) {
      for (int round = 0; round < 50 + thread; ++round) {
        // Not all get as far: the last sums stay under way.
        std::optional<double> all;
        const bool common = round < 50;
        for (int polls = 0; !all && (common || polls < 100); ++polls) {
          all = sum.advance([&] { return thread + round; });
          if (!all) std::this_thread::yield();
        }
        if (!all) break;
        EXPECT_EQ(*all, 6 + threads * round);
      }
      sum.drain();
      EXPECT_EQ(sum.everywhere(1), threads);
    }
  });
}

TEST(ThreadBoard, WhatOneThreadThrowsEndsAll) {
  ThreadBoard board(3, false);
  const auto act = [&](int thread) {
    ThreadSum sum(board, thread, 0);
    sum.everywhere(1);
    if (thread == 1) throw halocline::Error("the reason");
    board.meet();
  };
  EXPECT_EQ(complaint([&] { on_threads(board, 3, act); }), "the reason");
}

}  // namespace
}  // namespace laplace
