// Which CPUs the threads get, on machines of all kinds.

#include <machine/placement.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

using namespace machine;

namespace {

Cpus range(int begin, int end) {
  Cpus cpus;
  for (int cpu = begin; cpu < end; ++cpu) cpus.push_back(cpu);
  return cpus;
}

/// A node of `cpus` CPUs, each a core of its own, with these ranks.
Node plain(int cpus, std::vector<Cpus> ranks) {
  return {range(0, cpus), range(0, cpus), std::move(ranks)};
}

/// Ranks that nobody has bound.
Node unbound(int cpus, std::size_t ranks) {
  return plain(cpus, std::vector<Cpus>(ranks, range(0, cpus)));
}

using Places = std::vector<Cpus>;

TEST(Unbound, RanksTakeConsecutiveCores) {
  const auto shares = share_out(unbound(8, 2), 3);
  EXPECT_EQ(shares[0].threads, (Places{{0}, {1}, {2}}));
  EXPECT_EQ(shares[1].threads, (Places{{3}, {4}, {5}}));
  EXPECT_EQ(shares[0].why_not, "");
}

TEST(Unbound, AllCoresMayBeNeeded) {
  const auto shares = share_out(unbound(4, 4), 1);
  for (std::size_t rank = 0; rank < 4; ++rank)
    EXPECT_EQ(shares[rank].threads, (Places{{static_cast<int>(rank)}}));
}

TEST(Unbound, OversubscribedIsLeftAlone) {
  for (const auto& [cpus, ranks, threads] :
       {std::tuple(2, 3, 1), std::tuple(2, 2, 2), std::tuple(4, 1, 5), std::tuple(1, 1, 64)})
    for (const Share& share : share_out(unbound(cpus, static_cast<std::size_t>(ranks)), threads)) {
      EXPECT_TRUE(share.threads.empty());
      EXPECT_FALSE(share.cramped);
      EXPECT_NE(share.why_not, "");
    }
  EXPECT_EQ(share_out(unbound(2, 3), 1)[0].why_not, "3 threads on 2 cores");
}

TEST(Unbound, HardwareThreadsOfACoreStayTogether) {
  // CPUs c and c+4 are one core.
  Node node = unbound(8, 2);
  node.core = {0, 1, 2, 3, 0, 1, 2, 3};
  const auto shares = share_out(node, 2);
  EXPECT_EQ(shares[0].threads, (Places{{0, 4}, {1, 5}}));
  EXPECT_EQ(shares[1].threads, (Places{{2, 6}, {3, 7}}));
  EXPECT_TRUE(share_out(node, 3)[0].threads.empty());
}

TEST(Unbound, NeighboursShareCachesWhateverTheirNumbers) {
  // Even CPUs are one socket, odd ones the other.
  Node node = unbound(6, 2);
  node.core = {0, 3, 1, 4, 2, 5};
  const auto shares = share_out(node, 3);
  EXPECT_EQ(shares[0].threads, (Places{{0}, {2}, {4}}));
  EXPECT_EQ(shares[1].threads, (Places{{1}, {3}, {5}}));
}

TEST(Unbound, CpusOfUnknownCoresAreCores) {
  Node node = unbound(4, 2);
  for (const std::vector<int>& core : {std::vector<int>{}, {-1, -1, -1, -1}, {0, 1}}) {
    node.core = core;
    const auto shares = share_out(node, 2);
    EXPECT_EQ(shares[0].threads, (Places{{0}, {1}}));
    EXPECT_EQ(shares[1].threads, (Places{{2}, {3}}));
  }
}

TEST(Bound, RanksKeepToTheirCpus) {
  const auto shares = share_out(plain(8, {{4, 5, 6, 7}, {0, 1, 2, 3}}), 2);
  EXPECT_EQ(shares[0].threads, (Places{{4}, {5}}));
  EXPECT_EQ(shares[1].threads, (Places{{0}, {1}}));
}

TEST(Bound, ToHardwareThreadsOfOneCore) {
  Node node = plain(2, {{0}, {1}});
  node.core = {0, 0};
  const auto shares = share_out(node, 1);
  EXPECT_EQ(shares[0].threads, (Places{{0}}));
  EXPECT_EQ(shares[1].threads, (Places{{1}}));
}

TEST(Bound, TogetherToAPartOfTheNode) {
  // As taskset or a batch system does: not all on the first core.
  const auto shares = share_out(plain(8, {{4, 5, 6, 7}, {4, 5, 6, 7}}), 2);
  EXPECT_EQ(shares[0].threads, (Places{{4}, {5}}));
  EXPECT_EQ(shares[1].threads, (Places{{6}, {7}}));
}

TEST(Bound, BySocket) {
  const auto shares = share_out(plain(8, {range(0, 4), range(4, 8), range(0, 4), range(4, 8)}), 2);
  EXPECT_EQ(shares[0].threads, (Places{{0}, {1}}));
  EXPECT_EQ(shares[1].threads, (Places{{4}, {5}}));
  EXPECT_EQ(shares[2].threads, (Places{{2}, {3}}));
  EXPECT_EQ(shares[3].threads, (Places{{6}, {7}}));
}

TEST(Bound, OverlapsInPartAreLeftAlone) {
  for (const Share& share : share_out(plain(4, {{0, 1}, {1, 2}}), 1)) {
    EXPECT_TRUE(share.threads.empty());
    EXPECT_FALSE(share.cramped);
    EXPECT_NE(share.why_not, "");
  }
  // Others are not concerned.
  EXPECT_EQ(share_out(plain(4, {{0, 1}, {1, 2}, {3}}), 1)[2].threads, (Places{{3}}));
}

TEST(Bound, UnknownCpusAreLeftAlone) {
  const auto shares = share_out(plain(2, {{}, {0, 1}}), 1);
  EXPECT_TRUE(shares[0].threads.empty());
  EXPECT_FALSE(shares[0].cramped);
  EXPECT_EQ(shares[1].threads, (Places{{0}}));
  EXPECT_TRUE(share_out({{}, {}, {{}}}, 4)[0].threads.empty());
}

TEST(Cramped, FewerCoresThanThreads) {
  const auto shares = share_out(plain(4, {{0}, {1, 2}}), 2);
  EXPECT_TRUE(shares[0].threads.empty());
  EXPECT_TRUE(shares[0].cramped);
  EXPECT_EQ(shares[0].why_not, "2 threads on 1 core");
  EXPECT_EQ(shares[1].threads, (Places{{1}, {2}}));
  EXPECT_FALSE(shares[1].cramped);
}

TEST(Cramped, SeveralRanksOnOneCore) {
  for (const Share& share : share_out(plain(2, {{0}, {0}}), 1)) {
    EXPECT_TRUE(share.threads.empty());
    EXPECT_TRUE(share.cramped);
  }
}

TEST(Cramped, NotWhereTheNodeIsTooSmallAnyway) {
  // Two threads on each core, bound or not.
  for (const Share& share : share_out(plain(2, {{0}, {1}}), 2)) EXPECT_FALSE(share.cramped);
  // Three ranks in turn over two cores.
  for (const Share& share : share_out(plain(2, {{0}, {1}, {0}}), 1)) EXPECT_FALSE(share.cramped);
  // But all on one of two cores is worse than it must be.
  EXPECT_TRUE(share_out(plain(2, {{0}}), 4)[0].cramped);
}

TEST(Cramped, CoresCountAndNotHardwareThreads) {
  Node node = plain(4, {{0, 2}});
  node.core = {0, 1, 0, 1};
  EXPECT_TRUE(share_out(node, 2)[0].cramped);
  EXPECT_FALSE(share_out(node, 1)[0].cramped);
}

TEST(Warning, NamesCpusThreadsAndRemedy) {
  const Node node = plain(4, {{1, 2, 3}, {0}});
  EXPECT_EQ(cramped_warning(node, 1, 5, 2, "MPICH Version:      5.0.2"),
            "rank 5 has 2 threads but was bound to CPU 0 only: they will take turns; start it with "
            "`mpiexec -bind-to core:2`");
  const auto ends = [&](int threads, std::string_view library, std::string_view end) {
    const std::string words = cramped_warning(node, 0, 0, threads, library);
    EXPECT_TRUE(words.ends_with(end)) << words;
  };
  ends(2, "Open MPI v5.0.11", "`mpiexec --map-by slot:PE=2 --bind-to core`");
  ends(4, "Open MPI v5.0.11", "`mpiexec --bind-to none`");
  ends(2, "Intel(R) MPI Library 2021.17", "`I_MPI_PIN_DOMAIN=omp OMP_NUM_THREADS=2 mpiexec`");
  ends(4, "Intel(R) MPI Library 2021.17", "`I_MPI_PIN=off mpiexec`");
  ends(4, "MPICH Version: 4.0", "`mpiexec -bind-to none`");
  ends(2, "Another 1.0", "(Slurm: `srun --cpus-per-task=2`), or let it bind none");
  EXPECT_NE(cramped_warning(node, 0, 0, 4, "").find("was bound to CPUs 1-3 only"),
            std::string::npos);
}

TEST(Warning, TellsHardwareThreadsAndSharers) {
  Node node = plain(8, {{0, 1, 4, 5}});
  node.core = {0, 1, 2, 3, 0, 1, 2, 3};
  EXPECT_NE(cramped_warning(node, 0, 0, 4, "")
                .find("bound to CPUs 0-1,4-5 only, 2 cores: they will slow each other down"),
            std::string::npos);
  EXPECT_NE(cramped_warning(plain(2, {{0}, {0}}), 0, 0, 1, "")
                .find("rank 0 has 1 thread but was bound to CPU 0 only, with 1 other rank: they"),
            std::string::npos);
}

// Whatever the machine: threads stay within their rank's CPUs, one core each, no CPU twice.
TEST(ShareOut, KeepsItsPromisesOnRandomNodes) {
  std::minstd_rand random(1);
  const auto draw = [&](int least, int most) {
    return std::uniform_int_distribution(least, most)(random);
  };
  int pinned = 0;
  for (int round = 0; round < 5000; ++round) {
    const int cpus = draw(1, 12), threads = draw(1, 4), kinds = draw(1, 3);
    Node node = plain(cpus, {});
    for (int& core : node.core) core = draw(-1, cpus - 1);
    std::vector<Cpus> sets(static_cast<std::size_t>(kinds));
    for (int cpu = 0; cpu < cpus; ++cpu) {
      const int owner = draw(0, kinds);
      for (int kind = 0; kind < kinds; ++kind)
        if (kind == owner || draw(0, 9) == 0) sets[static_cast<std::size_t>(kind)].push_back(cpu);
    }
    for (int rank = draw(1, 5); rank > 0; --rank)
      node.ranks.push_back(sets[static_cast<std::size_t>(draw(0, kinds - 1))]);

    std::set<int> taken;
    const auto shares = share_out(node, threads);
    ASSERT_EQ(shares.size(), node.ranks.size());
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {
      const Share& share = shares[rank];
      ASSERT_EQ(share.threads.empty(), !share.why_not.empty());
      if (share.threads.empty()) continue;
      ++pinned;
      ASSERT_FALSE(share.cramped);
      ASSERT_EQ(share.threads.size(), static_cast<std::size_t>(threads));
      for (const Cpus& place : share.threads) {
        ASSERT_FALSE(place.empty());
        for (const int cpu : place) {
          const Cpus& own = node.ranks[rank];
          ASSERT_TRUE(std::find(own.begin(), own.end(), cpu) != own.end());
          ASSERT_TRUE(taken.insert(cpu).second);
          ASSERT_EQ(node.core[static_cast<std::size_t>(cpu)],
                    node.core[static_cast<std::size_t>(place.front())]);
        }
      }
    }
  }
  EXPECT_GT(pinned, 500);
}

}  // namespace
