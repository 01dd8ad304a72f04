// Asynchronous sums: every rank gets the total of every round, the same, in the same order, though
// ranks are far apart and call as often as they like.

#include "common/complaint.hpp"

#include <halocline/more/reduction.hpp>
#include <halocline/more/waiting.hpp>

#include <gtest/gtest.h>
#include <chrono>
#include <random>
#include <thread>

using namespace halocline;

namespace {

/// Whole numbers, whose sums are exact in any order.
double part(int rank, std::uint64_t round) {
  return static_cast<double>((round + 1) * 1000 + static_cast<std::uint64_t>(rank));
}
double total(std::uint64_t round) {
  double sum = 0;
  for (int rank = 0; rank < mpi::size(world()); ++rank) sum += part(rank, round);
  return sum;
}

/// Until this many totals have come in all.
void run(AsyncSum& sum, std::uint64_t rounds, std::minstd_rand& engine) {
  const int me = mpi::rank(world());
  wait_until("test: rounds", [&] {
    if (engine() % 50 == 0) std::this_thread::sleep_for(std::chrono::microseconds(engine() % 500));
    const std::uint64_t round = sum.rounds();
    int asked = 0;
    const auto now = sum.advance([&] {
      ++asked;
      return part(me, round);
    });
    EXPECT_LE(asked, 1);
    if (now) {
      EXPECT_EQ(*now, total(round));
      EXPECT_EQ(sum.rounds(), round + 1);
    }
    return sum.rounds() == rounds;
  });
}

}  // namespace

TEST(AsyncSum, GivesEveryRankEveryTotalInOrder) {
  for (AsyncSumKind kind : async_sum_kinds) {
    SCOPED_TRACE(name(kind));
    std::minstd_rand engine(static_cast<unsigned>(3 + mpi::rank(world())));
    const auto sum = make_async_sum(world(), kind);
    run(*sum, 200, engine);
    // Everybody stops after the same total, and nothing is left of a next round.
    sum->drain();
    EXPECT_EQ(sum->rounds(), 200U);
    run(*sum, 230, engine);
  }
}

TEST(AsyncSum, TheSameBitsEverywhere) {
  // Parts whose sum depends on the order of adding.
  const double third = 1.0 / (3.0 + mpi::rank(world()) * mpi::rank(world()));
  for (AsyncSumKind kind : async_sum_kinds) {
    SCOPED_TRACE(name(kind));
    const auto sum = make_async_sum(world(), kind);
    std::optional<double> now;
    wait_until("test: a total", [&] { return (now = sum->advance([&] { return third; })); });
    double root = *now;
    MPI_Bcast(&root, 1, MPI_DOUBLE, 0, world());
    EXPECT_EQ(*now, root);
  }
}

TEST(AsyncSum, EndsWhereverItsRanksAre) {
  for (AsyncSumKind kind : async_sum_kinds)
    for (int calls = 0; calls < 30; ++calls) {
      SCOPED_TRACE(name(kind));
      const auto sum = make_async_sum(world(), kind);
      const int me = mpi::rank(world());
      for (int call = 0; call < calls * (1 + me); ++call)
        if (const auto now = sum->advance([&] { return part(me, sum->rounds()); })) {
          EXPECT_EQ(*now, total(sum->rounds() - 1));
        }
      sum->drain();
      std::uint64_t least = sum->rounds(), most = sum->rounds();
      MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_UINT64_T, MPI_MIN, world());
      MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UINT64_T, MPI_MAX, world());
      EXPECT_EQ(least, most);
      for (int call = 0; call < calls; ++call) sum->advance([] { return 1.0; });
    }
}

TEST(AsyncSum, NamesItsKinds) {
  for (AsyncSumKind kind : async_sum_kinds) EXPECT_EQ(async_sum_kind(name(kind)), kind);
  EXPECT_EQ(complaint([] { async_sum_kind("ring"); }),
            "asynchronous sum 'ring': must be one of tree, iallreduce");
}
