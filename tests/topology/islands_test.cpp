// Islands: who shares memory with whom.

#include <halocline/more/islands.hpp>

#include <gtest/gtest.h>

using namespace halocline;

namespace {

TEST(Islands, AreOneOnOneMachine) {
  const Islands islands(world());
  EXPECT_EQ(islands.count(), 1);
  EXPECT_EQ(islands.index(), 0);
  EXPECT_EQ(mpi::size(islands.island()), mpi::size(world()));
  EXPECT_EQ(islands.is_head(), mpi::rank(world()) == 0);
}

TEST(Islands, OfTwoRanksEach) {
  const int rank = mpi::rank(world()), ranks = mpi::size(world());
  const Islands islands(world(), "2");
  EXPECT_EQ(islands.count(), (ranks + 1) / 2);
  EXPECT_EQ(islands.index(), rank / 2);
  EXPECT_EQ(islands.is_head(), rank % 2 == 0);
  for (int other = 0; other < ranks; ++other)
    EXPECT_EQ(islands.local_rank(other), other / 2 == rank / 2 ? other % 2 : MPI_UNDEFINED);
  if (islands.is_head()) {
    EXPECT_EQ(mpi::size(islands.heads()), islands.count());
  }
}

TEST(Islands, AreTheSameInEveryCommunicator) {
  // Reversed ranks: the same processes share an island, in the order of the new communicator.
  const int rank = mpi::rank(world()), ranks = mpi::size(world());
  MPI_Comm raw = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_split, world(), 0, -rank, &raw);
  const mpi::Comm reversed(raw);
  const Islands islands(reversed, "2");
  for (int other = 0; other < ranks; ++other) {
    const int in_world = ranks - 1 - other;
    EXPECT_EQ(islands.local_rank(other) != MPI_UNDEFINED, in_world / 2 == rank / 2);
  }
}

}  // namespace
