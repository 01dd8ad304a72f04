// When the node's shared memory is too small, all ranks get plain memory and are told why.
// To be run where /dev/shm has 256 MiB alone: see with_small_shm.sh.

#include <halocline/memory.hpp>
#include <halocline/replicated.hpp>

#include <gtest/gtest.h>

using namespace halocline;

namespace {

TEST(ShortSharedMemory, BecomesPlainWithANote) {
  const Memory memory(world(), std::size_t{200} << 20, MemoryKind::shared);
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
  const std::size_t elements = (std::size_t{300} << 20) / sizeof(double);
  Replicated<double> array(world(), elements);
  EXPECT_FALSE(array.shared());
  EXPECT_EQ(array.islands(), mpi::size(world()));
  EXPECT_NE(array.note().find("free in /dev/shm"), std::string::npos) << array.note();
  array.write(mpi::size(world()) - 1, [](std::span<double> all) { all.back() = 7; });
  EXPECT_EQ(array[elements - 1], 7);
  EXPECT_EQ(array[0], 0);
}

}  // namespace
