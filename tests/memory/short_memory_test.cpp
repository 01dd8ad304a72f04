// When the node's shared memory is too small, all ranks get plain memory and are told why.
// To be run where /dev/shm has 128 MiB alone: see with_small_shm.sh.

#include "common/complaint.hpp"

#include <halocline/exchange.hpp>
#include <halocline/memory.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/more/replicated.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

using namespace halocline;

namespace {

TEST(ShortSharedMemory, BecomesPlainWithANote) {
  const Memory memory(world(), std::size_t{100} << 20, MemoryKind::shared);
  EXPECT_EQ(memory.kind(), MemoryKind::plain);
  for (const char* word : {"short", "needed", "free in /dev/shm", "plain memory"})
    EXPECT_NE(memory.note().find(word), std::string::npos) << memory.note();
  memory.data()[memory.bytes() - 1] = std::byte{1};
}

TEST(ShortSharedMemory, StillServesWhatFits) {
  const Memory memory(world(), std::size_t{1} << 20, MemoryKind::shared);
  EXPECT_EQ(memory.kind(), MemoryKind::shared);
}

TEST(ShortSharedMemory, GivesEveryRankACopyOfReplicatedData) {
  const std::size_t elements = (std::size_t{150} << 20) / sizeof(double);
  Replicated<double> array(world(), elements);
  EXPECT_FALSE(array.shared());
  EXPECT_EQ(array.islands(), mpi::size(world()));
  EXPECT_NE(array.note().find("free in /dev/shm"), std::string::npos) << array.note();
  array.write(mpi::size(world()) - 1, [](std::span<double> all) { all.back() = 7; });
  EXPECT_EQ(array[elements - 1], 7);
  EXPECT_EQ(array[0], 0);
}

/// What is refused when an exchange of 65 MiB a rank is made.
std::string refusal(const Scheme& scheme) {
  constexpr std::size_t count = (std::size_t{65} << 20) / sizeof(double);
  static std::vector<double> cells(2 * count);
  Pattern ring;
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  ring.send((me + 1) % ranks, {.offset = 0, .count = {1, 1, count}});
  ring.receive((me + ranks - 1) % ranks,
               {.offset = static_cast<std::ptrdiff_t>(count), .count = {1, 1, count}});
  return complaint([&] { Exchange(ring, field(cells.data(), cells.size()), scheme).run(); });
}

TEST(ShortSharedMemory, IsSaidBeforeItIsTouchedWithAWayOn) {
  for (const char* scheme : {"rma:put:fence", "rma:get:flush", "rma:put:pscw+alloc=shared",
                             "shm:signal", "shm:message", "rma:put:fence+alloc=shared+pack=off"}) {
    const std::string said = refusal(scheme);
    for (const char* word :
         {scheme, "is short: ", "needed", "free in /dev/shm; ", "/dev/shm larger"})
      EXPECT_NE(said.find(word), std::string::npos) << said;
    EXPECT_EQ(said.find("using plain"), std::string::npos) << said;
  }
  EXPECT_EQ(refusal("rma:put:fence+alloc=create"), "");
  EXPECT_EQ(refusal("p2p:nonblocking"), "");
  const std::string said =
      complaint([] { const Memory memory(world(), std::size_t{100} << 20, MemoryKind::window); });
  EXPECT_NE(said.find("free in /dev/shm; "), std::string::npos) << said;
}

/// What is refused to a chain in which each rank sends to the next one, and the last one alone gets
/// much: 200 MiB, for which no /dev/shm of 128 MiB has room.
std::string refusal_of_chain(const Scheme& scheme) {
  constexpr std::size_t count = (std::size_t{200} << 20) / sizeof(double);
  static const std::unique_ptr<double[]> cells(new double[2 * count]);  // that nobody touches
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  Pattern chain;
  const auto to = [&](int rank) { return rank == ranks - 1 ? count : 1; };
  if (me + 1 < ranks) chain.send(me + 1, {.offset = 0, .count = {1, 1, to(me + 1)}});
  if (me > 0)
    chain.receive(me - 1, {.offset = static_cast<std::ptrdiff_t>(count), .count = {1, 1, to(me)}});
  return complaint([&] { Exchange(chain, field(cells.get(), 2 * count), scheme); });
}

TEST(ShortSharedMemory, IsRefusedToAllRanksWhereOneNeighbourhoodLacksIt) {
  for (const char* scheme :
       {"rma:put:fence+group=neighbors", "rma:get:fence+alloc=shared+group=neighbors"}) {
    const std::string said = refusal_of_chain(scheme);
    EXPECT_NE(said.find("free in /dev/shm; take +alloc=create"), std::string::npos) << said;
    EXPECT_NE(said.find(scheme), std::string::npos) << said;
    EXPECT_EQ(mpi::from_root(world(), said), said);
  }
  EXPECT_EQ(refusal_of_chain("rma:get:fence+alloc=dynamic+group=neighbors+pack=off"), "");
}

/// Windows for which there is room one by one, and not together.
TEST(ShortSharedMemory, IsAskedForAllWindowsTogether) {
  if (mpi::size(world()) < 3) GTEST_SKIP() << "of 3 ranks";
  constexpr std::size_t count = (std::size_t{25} << 20) / sizeof(double);
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  static std::vector<double> cells((static_cast<std::size_t>(ranks) + 1) * count);
  Pattern to_all;
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank == me) continue;
    to_all.send(rank, {.offset = 0, .count = {1, 1, count}});
    to_all.receive(
        rank, {.offset = static_cast<std::ptrdiff_t>((1 + rank) * count), .count = {1, 1, count}});
  }
  const std::string said = complaint([&] {
    Exchange(to_all, field(cells.data(), cells.size()), "rma:get:fence+windows=per-link").run();
  });
  EXPECT_NE(said.find("free in /dev/shm; "), std::string::npos) << said;
}

}  // namespace
