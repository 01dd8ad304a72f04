// Memory: zeroed arrays that reach as far as their kind says.

#include "common/complaint.hpp"
#include "common/ranks.hpp"

#include <halocline/array.hpp>
#include <halocline/error.hpp>
#include <halocline/more/mpi.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

using namespace halocline;

namespace {

void barrier() {
  MPI_Barrier(world());
}

class EveryKind : public testing::TestWithParam<MemoryKind> {};
INSTANTIATE_TEST_SUITE_P(Memory, EveryKind,
                         testing::Values(MemoryKind::plain, MemoryKind::window, MemoryKind::shared),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST_P(EveryKind, IsZeroedAndAligned) {
  for (std::size_t bytes : {8u, 24u, 40u, 64u, 100'000u}) {
    const Memory memory(world(), bytes, GetParam());
    EXPECT_EQ(memory.bytes(), bytes);
    EXPECT_EQ(memory.kind(), GetParam()) << memory.note();
    EXPECT_TRUE(memory.note().empty());
    // Where windows begin is MPI's choice: it cares for numbers, not for cache lines.
    const std::uintptr_t alignment = GetParam() == MemoryKind::plain ? 64 : alignof(double);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % alignment, 0u) << bytes << " bytes";
    EXPECT_TRUE(std::all_of(memory.data(), memory.data() + bytes,
                            [](std::byte b) { return b == std::byte{0}; }));
  }
}

TEST_P(EveryKind, IsMineAlone) {
  const std::size_t bytes = 1000 + 8 * static_cast<std::size_t>(me());
  const Memory memory(world(), bytes, GetParam());
  std::memset(memory.data(), me() + 1, bytes);
  barrier();
  EXPECT_TRUE(std::all_of(memory.data(), memory.data() + bytes,
                          [](std::byte b) { return b == static_cast<std::byte>(me() + 1); }));
  barrier();
}

/// A sweep from one into the other would be slow if both began alike.
TEST_P(EveryKind, OfArraysInTurnBeginsAtDifferentLinesOfAPage) {
  std::vector<Memory> arrays;
  for (int i = 0; i < 5; ++i) arrays.emplace_back(world(), 10'000, GetParam());
  const auto line = [&](std::size_t i) {
    return reinterpret_cast<std::uintptr_t>(arrays[i].data()) % 4096 / 64;
  };
  for (std::size_t i = 1; i < arrays.size(); ++i) EXPECT_EQ((line(i) - line(i - 1)) % 64, 37u) << i;
}

/// Though ranks that have made different numbers of arrays begin at different lines.
TEST(SharedMemory, IsFoundWhereverItsOwnerBegins) {
  const mpi::Comm self = mpi::Comm::duplicate(MPI_COMM_SELF);
  const Memory before(self, me() % 2 == 0 ? 8 : 10'000, MemoryKind::plain);
  const Memory memory(world(), 10'000, MemoryKind::shared);
  std::memset(memory.data(), me() + 1, 10'000);
  barrier();
  for (int peer = 0; peer < ranks(); ++peer) {
    const std::byte* const theirs = memory.of_peer(world(), peer);
    EXPECT_TRUE(std::all_of(theirs, theirs + 10'000, [&](std::byte b) {
      return b == static_cast<std::byte>(peer + 1);
    })) << peer;
  }
  barrier();
}

TEST(Memory, JoinedPartsFollowEachOtherByPages) {
  constexpr std::size_t page = 4096;
  const std::size_t bytes = 1 + page * static_cast<std::size_t>(me() % 3);
  const Memory memory(world(), bytes, MemoryKind::shared, "node", SharedParts::joined);
  const std::byte* begin = memory.of_peer(world(), 0);
  for (int rank = 0; rank < ranks(); ++rank) {
    EXPECT_EQ(memory.of_peer(world(), rank), begin) << rank;
    begin += page * static_cast<std::size_t>(rank % 3 + 1);
  }
}

TEST_P(EveryKind, MayBeEmptyOnSomeRanks) {
  const Memory memory(world(), me() % 2 == 0 ? 0 : 80, GetParam());
  EXPECT_EQ(memory.bytes(), me() % 2 == 0 ? 0u : 80u);
}

TEST_P(EveryKind, LivesAsLongAsItsLastCopy) {
  Memory kept;
  {
    const Memory first(world(), 64, GetParam());
    first.data()[3] = std::byte{7};
    kept = first;
  }
  EXPECT_EQ(kept.data()[3], std::byte{7});
}

TEST_P(EveryKind, HasAWindowUnlessPlain) {
  const Memory memory(world(), 64, GetParam());
  EXPECT_EQ(memory.win() != MPI_WIN_NULL, GetParam() != MemoryKind::plain);
  if (GetParam() != MemoryKind::plain) {
    EXPECT_EQ(mpi::size(memory.comm()), ranks());
  }
}

TEST(PlainMemory, OfLargeArraysBeginsOnAHugePage) {
  const std::size_t bytes = (std::size_t{16} << 20) + 8;
  const Memory memory(world(), bytes, MemoryKind::plain);
  EXPECT_EQ(memory.bytes(), bytes);
  EXPECT_LT(reinterpret_cast<std::uintptr_t>(memory.data()) % (2 << 20), 4096u);
  EXPECT_TRUE(std::all_of(memory.data(), memory.data() + bytes,
                          [](std::byte b) { return b == std::byte{0}; }));
}

TEST(PlainMemory, IsOutOfReach) {
  const Memory memory(world(), 64, MemoryKind::plain);
  EXPECT_EQ(memory.of_peer(world(), (me() + 1) % ranks()), nullptr);
}

TEST(SharedMemory, CanBeReadByEveryRankOfTheIsland) {
  const Memory memory(world(), sizeof(int) * 5, MemoryKind::shared);
  for (int i = 0; i < 5; ++i) reinterpret_cast<int*>(memory.data())[i] = 10 * me() + i;
  barrier();
  for (int peer = 0; peer < ranks(); ++peer) {
    const auto* theirs = reinterpret_cast<const int*>(memory.of_peer(world(), peer));
    ASSERT_NE(theirs, nullptr);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(theirs[i], 10 * peer + i);
  }
  barrier();
}

TEST(SharedMemory, KnowsPeersByTheirRankInAnyCommunicator) {
  MPI_Comm raw = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_split, world(), 0, -me(), &raw);
  const mpi::Comm reversed(raw);
  const Memory memory(reversed, sizeof(int), MemoryKind::shared);
  *reinterpret_cast<int*>(memory.data()) = me();
  barrier();
  for (int peer = 0; peer < ranks(); ++peer) {
    EXPECT_EQ(*reinterpret_cast<const int*>(memory.of_peer(world(), peer)), peer);
    EXPECT_EQ(*reinterpret_cast<const int*>(memory.of_peer(reversed, peer)), ranks() - 1 - peer);
  }
  barrier();
}

TEST(SharedMemory, EndsAtTheShoreOfTheIsland) {
  const Memory memory(world(), 64, MemoryKind::shared, "2");
  for (int peer = 0; peer < ranks(); ++peer)
    EXPECT_EQ(memory.of_peer(world(), peer) != nullptr, peer / 2 == me() / 2) << peer;
}

TEST(Memory, ThatExistsNowhereIsRefusedNamingTheNode) {
  char node[MPI_MAX_PROCESSOR_NAME];
  int length = 0;
  MPI_Get_processor_name(node, &length);
  for (const std::size_t bytes : {std::size_t{1} << 50, ~std::size_t{0}, ~std::size_t{0} - 4095})
    for (MemoryKind kind : {MemoryKind::plain, MemoryKind::shared, MemoryKind::window}) {
      if (kind == MemoryKind::window && bytes == std::size_t{1} << 50) continue;
      const std::string said = complaint([&] { const Memory memory(world(), bytes, kind); });
      for (const char* words : {"out of memory", static_cast<const char*>(node), "GiB"})
        EXPECT_NE(said.find(words), said.npos)
            << bytes << " bytes, " << to_string(kind) << ": " << said;
    }
}

TEST(Array, IsAField) {
  const Array<double> array(world(), 7);
  array[3] = 2.5;
  EXPECT_EQ(array.size(), 7u);
  EXPECT_EQ(array.span()[3], 2.5);
  const Field field = array;
  EXPECT_EQ(field.data, array.data());
  EXPECT_EQ(field.element_bytes, sizeof(double));
  EXPECT_EQ(field.elements, 7u);
  EXPECT_EQ(field.memory.data(), array.memory().data());
}

TEST(Array, OfAGridHoldsItsHalos) {
  const Grid grid(world(), {4 * ranks(), 5}, {.halo = HaloWidth(1, 2)});
  const Array<float> array(grid, Scheme("p2p:nonblocking"));
  EXPECT_EQ(array.size(), grid.elements());
}

}  // namespace
