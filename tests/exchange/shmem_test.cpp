// OpenSHMEM's exchange leaves the bytes that messages leave. (halocheck also takes communicators of
// some ranks, which symmetric memory does not.)

#include "common/complaint.hpp"

#include <halocline/exchange.hpp>
#include <halocline/grid.hpp>
#include <halocline/more/waiting.hpp>

#include <gtest/gtest.h>
#include <vector>

using namespace halocline;

TEST(Shmem, LeavesTheBytesThatMessagesLeave) {
  for (const bool periodic : {false, true})
    for (const int width : {1, 2}) {
      inject_delays(std::chrono::microseconds(width == 1 ? 100 : 0),
                    static_cast<unsigned>(1 + mpi::rank(world())));
      const Grid grid(world(), {24, 20, 18},
                      {.halo = width, .periodic = {periodic, periodic, periodic}});
      std::vector<double> mine(grid.elements(), 0), same(grid.elements(), 0);
      Exchange shmem(grid.halo(), field(mine.data(), mine.size()), "shmem");
      Exchange messages(grid.halo(), field(same.data(), same.size()), "p2p:nonblocking");
      for (int step = 0; step < 50; ++step) {
        for (std::size_t i = 0; i < mine.size(); ++i)
          mine[i] = same[i] = static_cast<double>(mpi::rank(world()) + 10 * step) +
                              0.5 / static_cast<double>(1 + i);
        shmem.run();
        messages.run();
        ASSERT_EQ(mine, same);
      }
    }
  inject_delays(std::chrono::microseconds(0), 1);
}

TEST(Shmem, NeedsAllRanks) {
  const mpi::Comm alone = mpi::Comm::split(world(), mpi::rank(world()));
  if (mpi::size(world()) == 1) GTEST_SKIP() << "needs two ranks";
  double cell = 0;
  EXPECT_EQ(complaint([&] { const Exchange exchange(alone, {}, field(&cell, 1), "shmem"); }),
            "shmem: the exchange has 1 ranks; OpenSHMEM's symmetric memory needs all " +
                std::to_string(mpi::size(world())));
}
