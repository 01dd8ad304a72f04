// The distance between cores: measured where there is one, the same for all, and left out
// elsewhere.

#include <base/limits.hpp>
#include <machine/cores.hpp>

#include <gtest/gtest.h>
#include <halocline/grid.hpp>
#include <halocline/more/processor.hpp>

#include <algorithm>

namespace {

using namespace halocline;

double of_rank_0(double value) {
  HALOCLINE_MPI(MPI_Bcast, &value, 1, MPI_DOUBLE, 0, world());
  return value;
}

TEST(Cores, AreApartWhereEveryRankHasOne) {
  const auto found = machine::core_distance(world());
  const bool possible = mpi::size(world()) > 1 && !crowded(world());
  ASSERT_EQ(found.has_value(), possible);
  if (!found) return;
  // From a shared first-level cache to another socket, with room for a busy machine.
  EXPECT_GT(*found, 5e-9);
  EXPECT_LT(*found, 0.1);
  EXPECT_EQ(*found, of_rank_0(*found));
}

TEST(Cores, AreNotApartForOneRank) {
  EXPECT_EQ(machine::core_distance(MPI_COMM_SELF), std::nullopt);
}

TEST(Cores, AreCrowdedWhereRanksOutnumberThem) {
  // All ranks of this test run on one node, on the cores that any of them may use.
  std::vector<unsigned char> usable(4096, 0);
  for (const int core : bound_cores()) usable[static_cast<std::size_t>(core)] = 1;
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, usable.data(), static_cast<int>(usable.size()),
                MPI_UNSIGNED_CHAR, MPI_MAX, world());
  const double cores = std::min(static_cast<double>(std::count(usable.begin(), usable.end(), 1)),
                                base::processor_quota());
  EXPECT_EQ(crowded(world()), mpi::size(world()) > cores);
}

TEST(Cores, DistancesAreKeptInTheirOrder) {
  machine::CoreDistances distances;
  distances.take(world());
  distances.take(world());
  const bool possible = mpi::size(world()) > 1 && !crowded(world());
  EXPECT_EQ(distances.seconds.size(), possible ? 2u : 0u);
}

}  // namespace
