// The layer over MPI: handles, errors, agreement, large counts.

#include "common/complaint.hpp"

#include <halocline/exchange.hpp>
#include <halocline/grid.hpp>
#include <halocline/more/async_exchange.hpp>
#include <halocline/more/islands.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/more/reduction.hpp>
#include <halocline/more/replicated.hpp>
#include <halocline/more/trace.hpp>
#include <halocline/ragged_exchange.hpp>
#include <halocline/wait.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <functional>

using namespace halocline;

namespace {

TEST(Check, NamesTheCallAndTheLibrarysText) {
  const mpi::Comm comm = mpi::Comm::duplicate(world());  // its errors return
  int ignored = 0;
  const std::string message =
      complaint([&] { HALOCLINE_MPI(MPI_Bcast, &ignored, 1, MPI_INT, 1000, comm); });
  EXPECT_EQ(message.rfind("MPI_Bcast: ", 0), 0u) << message;
  EXPECT_GT(message.size(), std::strlen("MPI_Bcast: ")) << message;
}

TEST(Handle, MovesAndFrees) {
  mpi::Comm first = mpi::Comm::duplicate(world());
  const MPI_Comm raw = first;
  mpi::Comm second = std::move(first);
  EXPECT_EQ(first.get(), MPI_COMM_NULL);
  EXPECT_EQ(second.get(), raw);
  first = std::move(second);
  EXPECT_EQ(first.get(), raw);
}

TEST(Comm, SplitLeavesOutTheUndefined) {
  const bool in = mpi::rank(world()) % 2 == 0;
  const mpi::Comm even = mpi::Comm::split(world(), in ? 0 : MPI_UNDEFINED);
  EXPECT_EQ(even.get() != MPI_COMM_NULL, in);
  if (in) {
    EXPECT_EQ(mpi::size(even), (mpi::size(world()) + 1) / 2);
  }
}

TEST(Comm, MustHaveRanksThatMeet) {
  const auto complaints = [](MPI_Comm comm, const char* says) {
    const std::vector<std::function<void()>> entries = {
        [&] { mpi::Comm::duplicate(comm); },
        [&] { mpi::Comm::split(comm, 0); },
        [&] {
          Grid(comm, {30, 30});
        },
        [&] { Array<double>(comm, 10); },
        [&] { Array<double>(comm, 10, MemoryKind::window); },
        [&] { Array<double>(comm, 10, MemoryKind::shared); },
        [&] { const Islands islands(comm); },
        [&] { machine_of(comm); },
        [&] {
          Exchange(comm, Pattern(), field(static_cast<double*>(nullptr), 0), "p2p:nonblocking");
        },
        [&] {
          Exchange(comm, Pattern(), field(static_cast<double*>(nullptr), 0), "p2p:nonblocking",
                   {.changes = true});
        },
        [&] { AsyncExchange(comm, Pattern(), 8, "p2p:nonblocking"); },
        [&] { RaggedExchange(comm, {}, {}, 8, 4, "p2p:nonblocking"); },
        [&] { make_max_reduction(comm, ReductionKind::allreduce, 1); },
        [&] { make_async_sum(comm); },
        [&] { Replicated<double>(comm, 10); },
        [&] { crowded(comm); },
        [&] { trace::begin(comm); }};
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::string said = complaint(entries[i]);
      EXPECT_EQ(said.rfind(says, 0), 0u) << "entry " << i << ": " << said;
    }
  };
  complaints(MPI_COMM_NULL, "MPI_COMM_NULL has no ranks");
  if (mpi::size(world()) < 2) return;
  const bool first = mpi::rank(world()) == 0;
  const mpi::Comm mine = mpi::Comm::split(world(), first ? 0 : 1);
  mpi::Comm both;
  HALOCLINE_MPI(MPI_Intercomm_create, mine, 0, world(), first ? 1 : 0, 5, both.address());
  complaints(both, "an intercommunicator has two groups");
}

TEST(Environment, JoinsAProgramThatHasBegunMpi) {
  static char name[] = "mpi_test";
  char* words[] = {name, nullptr};
  int count = 1;
  char** given = words;
  MPI_Errhandler before = MPI_ERRHANDLER_NULL, after = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
  {
    const Environment guest(count, given);
    EXPECT_TRUE(mpi::all_of(world(), true));
  }
  int ended = 0;
  MPI_Finalized(&ended);
  EXPECT_EQ(ended, 0);
  EXPECT_TRUE(mpi::all_of(world(), true));
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &after);
  EXPECT_EQ(before, after);

  const std::string said =
      complaint([&] { const Environment guest(count, given, MPI_THREAD_MULTIPLE); });
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level == MPI_THREAD_MULTIPLE) return;
  EXPECT_NE(said.find("MPI has begun with "), said.npos) << said;
  EXPECT_NE(said.find("MPI_THREAD_MULTIPLE"), said.npos) << said;
}

TEST(Translate, FindsRanksInAnotherCommunicator) {
  const mpi::Comm alone = mpi::Comm::split(world(), mpi::rank(world()));
  std::vector<int> all(static_cast<std::size_t>(mpi::size(world())));
  for (std::size_t r = 0; r < all.size(); ++r) all[r] = static_cast<int>(r);
  const auto found = mpi::translate(world(), all, alone);
  for (std::size_t r = 0; r < all.size(); ++r)
    EXPECT_EQ(found[r], static_cast<int>(r) == mpi::rank(world()) ? 0 : MPI_UNDEFINED);
  EXPECT_TRUE(mpi::translate(world(), {}, alone).empty());
}

TEST(Subgroup, MayBeEmpty) {
  const mpi::Group none = mpi::subgroup(world(), {});
  const mpi::Group all = mpi::group(world());
  int size = 0;
  MPI_Group_size(all, &size);
  EXPECT_EQ(size, mpi::size(world()));
}

TEST(AllOf, IsTrueOnlyIfAllAre) {
  EXPECT_TRUE(mpi::all_of(world(), true));
  EXPECT_FALSE(mpi::all_of(world(), mpi::rank(world()) != 0));
}

TEST(Agree, SaysNothingWhenNobodyComplains) {
  EXPECT_NO_THROW(mpi::agree(world(), ""));
}

TEST(Agree, ThrowsTheLowestRanksComplaintEverywhere) {
  const int last = mpi::size(world()) - 1;
  EXPECT_EQ(complaint([&] { mpi::agree(world(), mpi::rank(world()) == last ? "too small" : ""); }),
            "too small");
  EXPECT_EQ(complaint([&] { mpi::agree(world(), "rank " + std::to_string(mpi::rank(world()))); }),
            "rank 0");
}

TEST(Together, ThrowsWhatOneRankThrows) {
  const auto step = [] {
    if (mpi::rank(world()) == 0) throw std::runtime_error("no room");
  };
  EXPECT_EQ(complaint([&] { mpi::together(world(), step); }), "no room");
}

TEST(Bytes, AreAnyNumber) {
  for (std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{0x7fffffff}, std::size_t{0x80000000},
        std::size_t{0x80000001}, std::size_t{5} << 30, (std::size_t{7} << 30) + 12345}) {
    const mpi::Bytes message(bytes);
    MPI_Count size = 0;
    MPI_Type_size_x(message.type(), &size);
    EXPECT_EQ(static_cast<std::size_t>(size) * static_cast<std::size_t>(message.count()), bytes);
    MPI_Count low = 0, extent = 0;
    MPI_Type_get_extent_x(message.type(), &low, &extent);
    EXPECT_EQ(low, 0);
    EXPECT_EQ(extent, size) << "no gaps";
  }
}

TEST(Bytes, BeyondTwoToThe31AreReallySent) {
  if (!std::getenv("HALOCLINE_SOAK")) GTEST_SKIP() << "needs 9 GB; set HALOCLINE_SOAK=1";
  if (mpi::size(world()) < 2) GTEST_SKIP() << "needs two ranks";
  if (mpi::rank(world()) > 1) return;
  const std::size_t words = (std::size_t{1} << 28) + 17;  // 2 GiB and a little
  const mpi::Bytes message(words * sizeof(std::uint64_t));
  std::vector<std::uint64_t> data(words);
  if (mpi::rank(world()) == 0) {
    for (std::size_t i = 0; i < words; ++i) data[i] = i * 0x9E3779B97F4A7C15u;
    HALOCLINE_MPI(MPI_Send, data.data(), message.count(), message.type(), 1, 0, world());
  } else {
    HALOCLINE_MPI(MPI_Recv, data.data(), message.count(), message.type(), 0, 0, world(),
                  MPI_STATUS_IGNORE);
    for (std::size_t i = 0; i < words; ++i) ASSERT_EQ(data[i], i * 0x9E3779B97F4A7C15u) << i;
  }
}

TEST(Versions, AreOneLineEach) {
  EXPECT_FALSE(mpi::library_version().empty());
  EXPECT_EQ(mpi::library_version().find('\n'), std::string::npos);
  EXPECT_EQ(mpi::standard_version().size(), 3u);
}

}  // namespace
