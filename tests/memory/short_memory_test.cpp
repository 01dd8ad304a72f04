// When the node's shared memory is too small, all ranks get plain memory and are told why.
// To be run where /dev/shm has 128 MiB alone: see with_small_shm.sh.

#include "common/complaint.hpp"

#include <halocline/exchange.hpp>
#include <halocline/memory.hpp>
#include <halocline/more/replicated.hpp>

#include <gtest/gtest.h>

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

}  // namespace
