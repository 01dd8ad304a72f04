// Reductions: the maxima of all steps, in order, on rank 0; also when ranks are far apart.

#include "common/complaint.hpp"

#include <halocline/more/reduction.hpp>
#include <halocline/more/waiting.hpp>

#include <gtest/gtest.h>
#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

using namespace halocline;

namespace {

double value(int rank, int step) {
  std::minstd_rand engine(static_cast<unsigned>(1 + rank * 1000 + step));
  engine.discard(3);
  return std::uniform_real_distribution<double>(0, 1)(engine);
}

double largest(int step) {
  double result = 0;
  for (int rank = 0; rank < mpi::size(world()); ++rank)
    result = std::max(result, value(rank, step));
  return result;
}

}  // namespace

TEST(MaxReduction, DeliversEveryStepInOrderOnRankZero) {
  constexpr int steps = 300, capacity = 20;
  const int me = mpi::rank(world());
  for (ReductionKind kind : reduction_kinds) {
    SCOPED_TRACE(name(kind));
    const auto reduction = make_max_reduction(world(), kind, capacity);
    int known = 0;
    const auto collect = [&] {
      while (const auto maximum = reduction->next()) {
        if (me == 0) {
          EXPECT_EQ(*maximum, largest(known));
        }
        ++known;
      }
    };
    std::minstd_rand engine(static_cast<unsigned>(7 + me));
    for (int step = 0; step < steps; ++step) {
      // As in a pipeline, nobody gets ahead of rank 0.
      if (me == 0) {
        wait_until("test: rank 0 is far ahead", [&] {
          collect();
          return step - known < capacity;
        });
      }
      MPI_Request token = MPI_REQUEST_NULL;
      if (me > 0) MPI_Irecv(nullptr, 0, MPI_BYTE, me - 1, step, world(), &token);
      wait_one("test: the rank before", token);
      if (me + 1 < mpi::size(world())) MPI_Send(nullptr, 0, MPI_BYTE, me + 1, step, world());
      if (engine() % 50 == 0)
        std::this_thread::sleep_for(std::chrono::microseconds(engine() % 500));
      reduction->contribute(value(me, step));
      collect();
    }
    reduction->complete();
    collect();
    if (me == 0) {
      EXPECT_EQ(known, steps);
    }
  }
}

TEST(MaxReduction, EverywhereIsTheSameOnAllRanks) {
  for (ReductionKind kind : reduction_kinds) {
    SCOPED_TRACE(name(kind));
    const auto reduction = make_max_reduction(world(), kind, 2);
    for (int step = 0; step < 50; ++step) {
      reduction->contribute(value(mpi::rank(world()), step));
      EXPECT_EQ(reduction->everywhere(), largest(step));
    }
    reduction->complete();
  }
}

TEST(MaxReduction, LagsByAsMuchAsItSays) {
  for (ReductionKind kind : reduction_kinds) {
    SCOPED_TRACE(name(kind));
    const auto reduction = make_max_reduction(world(), kind, 3);
    const int lag = reduction->lag();
    for (int step = 0; step < 20; ++step) {
      reduction->contribute(value(mpi::rank(world()), step));
      if (step >= lag) {
        EXPECT_EQ(reduction->everywhere(), largest(step - lag));
      }
    }
    reduction->complete();
  }
}

TEST(MaxReduction, NamesItsKinds) {
  for (ReductionKind kind : reduction_kinds) EXPECT_EQ(reduction_kind(name(kind)), kind);
  EXPECT_EQ(complaint([] { reduction_kind("sum"); }),
            "reduction 'sum': must be one of allreduce, iallreduce, chain, last, accumulate");
}
