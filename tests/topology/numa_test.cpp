// Islands that are NUMA domains, on a machine that is told to have two: every second rank is bound
// to a core of the one, the others to a core of the other.

#include "common/ranks.hpp"

#include <halocline/memory.hpp>
#include <halocline/more/islands.hpp>
#include <halocline/more/processor.hpp>
#include <halocline/more/replicated.hpp>

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>

using namespace halocline;

namespace {

void bind_to(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  ASSERT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
}

class Numa : public testing::Test {
 protected:
  void SetUp() override {
    if (cores_.size() < 2) GTEST_SKIP() << "one core alone";
    // hwloc looks at this when the library first asks it.
    const std::string machine =
        "numa:2 pu:1(indexes=" + std::to_string(cores_[0]) + "," + std::to_string(cores_[1]) + ")";
    setenv("HWLOC_SYNTHETIC", machine.c_str(), 1);
    setenv("HWLOC_THISSYSTEM", "1", 1);  // without it, it is another machine
    if (numa_domains() != 2) GTEST_SKIP() << "no hwloc";
    bind_to({cores_[static_cast<std::size_t>(me() % 2)]});
  }
  void TearDown() override { bind_to(cores_); }

  std::vector<int> cores_ = bound_cores();
};

TEST_F(Numa, DomainsAreIslands) {
  EXPECT_EQ(numa_domain(), me() % 2);
  const Islands islands(world(), "numa");
  EXPECT_EQ(islands.count(), std::min(ranks(), 2));
  for (int other = 0; other < ranks(); ++other)
    EXPECT_EQ(islands.local_rank(other), other % 2 == me() % 2 ? other / 2 : MPI_UNDEFINED);
  const Machine machine = machine_of(world());
  for (int rank = 0; rank < ranks(); ++rank) EXPECT_EQ(machine.place(rank).socket, rank % 2);
}

TEST_F(Numa, WhoMayRunInBothBelongsToTheFirst) {
  bind_to({cores_[0], cores_[1]});
  EXPECT_EQ(numa_domain(), 0);
  EXPECT_EQ(Islands(world(), "numa").count(), 1);
}

TEST_F(Numa, EachHasACopyOfReplicatedData) {
  Replicated<int> array(world(), 5000, {.island = "numa"});
  ASSERT_TRUE(array.shared()) << array.note();
  EXPECT_EQ(array.islands(), std::min(ranks(), 2));
  for (int version = 1; version <= 4; ++version) {
    array.write(version % ranks(), [&](std::span<int> all) {
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = version + static_cast<int>(i);
    });
    for (std::size_t i = 0; i < array.size(); ++i)
      ASSERT_EQ(array[i], version + static_cast<int>(i));
  }
}

TEST_F(Numa, MemoryIsSharedWithinADomainAlone) {
  const Memory memory(world(), 1000, MemoryKind::shared, "numa");
  for (int other = 0; other < ranks(); ++other)
    EXPECT_EQ(memory.of_peer(world(), other) != nullptr, other % 2 == me() % 2);
}

}  // namespace
