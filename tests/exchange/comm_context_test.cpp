// What exchanges over the same ranks share: thousands of them alive at once, made and ended in any
// order; what MPI has no more of is said with the remedy.

#include "exchange/core/comm_context.hpp"
#include "common/complaint.hpp"
#include "common/tested_schemes.hpp"
#include "exchange/core/consensus.hpp"
#include "exchange/core/free_list.hpp"

#include <gtest/gtest.h>
#include <halocline/exchange.hpp>
#include <halocline/grid.hpp>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <numeric>

using namespace halocline;

namespace {

/// A number of mine to either side in a ring, and theirs.
struct Ring {
  Pattern pattern;
  std::vector<int> sources;

  explicit Ring(MPI_Comm comm) {
    const int ranks = mpi::size(comm), me = mpi::rank(comm);
    for (const int other : {(me + 1) % ranks, (me + ranks - 1) % ranks}) {
      if (other == me || std::find(sources.begin(), sources.end(), other) != sources.end())
        continue;
      pattern.send(other, {.offset = 0, .count = {1, 1, 1}});
      pattern.receive(
          other, {.offset = 1 + static_cast<std::ptrdiff_t>(sources.size()), .count = {1, 1, 1}});
      sources.push_back(other);
    }
  }
};

/// Cells of many rings, each with its exchange.
class Many {
 public:
  Many(MPI_Comm comm, const Scheme& scheme, std::size_t most)
      : comm_(comm), ring_(comm), scheme_(scheme), cells_(apart * most) {}

  void add() {
    exchanges_.push_back(std::make_unique<Exchange>(
        comm_, ring_.pattern, field(cells_.data() + apart * exchanges_.size(), 3), scheme_));
  }
  void fill(std::size_t which, double step) {
    cells_[apart * which] = value(mpi::rank(comm_), which, step);
  }
  Exchange& operator[](std::size_t which) { return *exchanges_[which]; }
  /// Runs each of them; how many halos are wrong.
  std::size_t run(double step) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < exchanges_.size(); ++i) {
      fill(i, step);
      exchanges_[i]->run();
      wrong += wrong_halos(i, step);
    }
    return wrong;
  }
  std::size_t wrong_halos(std::size_t which, double step) const {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < ring_.sources.size(); ++i)
      if (cells_[apart * which + 1 + i] != value(ring_.sources[i], which, step)) ++wrong;
    return wrong;
  }
  /// Where freeing is not collective: each rank in an order of its own.
  void end_in_any_order() {
    std::vector<std::size_t> order(exchanges_.size());
    std::iota(order.begin(), order.end(), 0);
    if (mpi::rank(comm_) % 2 == 1) std::reverse(order.begin(), order.end());
    for (const std::size_t which : order) exchanges_[which].reset();
    exchanges_.clear();
  }

 private:
  /// Cells of a ring, one more than it has: MPICH 4.0.2 mixes up windows that share 16 bytes.
  static constexpr std::size_t apart = 4;
  static double value(int rank, std::size_t which, double step) {
    return 1000.0 * static_cast<double>(which) + 10 * step + rank;
  }
  MPI_Comm comm_;
  Ring ring_;
  Scheme scheme_;
  std::vector<double> cells_;
  std::vector<std::unique_ptr<Exchange>> exchanges_;
};

std::vector<std::string> schemes(const std::vector<std::string>& families) {
  std::vector<std::string> found;
  for (const SchemeFacts& known : known_schemes())
    for (const std::string& family : families)
      if (known.unavailable.empty() && known.scheme.starts_with(family))
        found.push_back(known.scheme);
  return found;
}

}  // namespace

TEST(FreeList, GivesTheLowestPlaceAndJoinsWhatComesBack) {
  detail::FreeList places;
  EXPECT_FALSE(places.take(1));
  places.give_back(0, 10);
  places.give_back(11, 5);  // does not touch the first
  EXPECT_EQ(places.take(4), 0);
  EXPECT_EQ(places.take(4), 4);
  EXPECT_EQ(places.take(4), 11);
  EXPECT_FALSE(places.take(4));
  places.give_back(0, 4);
  places.give_back(4, 4);
  EXPECT_TRUE(places.is_all(0, 10));
  EXPECT_FALSE(places.is_all(11, 5));
  EXPECT_EQ(places.take(10), 0);
}

TEST(Consensus, TellsEachRankWhatOthersHaveForIt) {
  const int ranks = mpi::size(world()), me = mpi::rank(world());
  const detail::Channel comm = detail::Channel::on(world());
  for (int round = 0; round < 50; ++round) {
    // Nobody knows who will tell it something: rank r tells those whose number round times r is.
    detail::Numbers mine, expected;
    for (int other = 0; other < ranks; ++other) {
      if (other != me && (other + round) % 3 == me % 3) mine[other] = 100 * me + other + round;
      if (other != me && (me + round) % 3 == other % 3) expected[other] = 100 * other + me + round;
    }
    EXPECT_EQ(detail::sparse_exchange(comm, mine), expected);
  }
}

TEST(Channel, NobodyGetsTagsThatSomeRankStillUses) {
  // More than one communicator has; given back by each rank at another time, in another order.
  std::deque<detail::Channel> alive;
  const int me = mpi::rank(world());
  for (int i = 0; i < 60'000; ++i) {
    alive.push_back(detail::Channel::on(world()));
    std::array<int, 2> tag{alive.back().tag(0), -alive.back().tag(0)};
    if (i % 1000 == 0) {
      HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, tag.data(), 2, MPI_INT, MPI_MAX, world());
      EXPECT_EQ(tag[0], -tag[1]) << "ranks have taken different tags";
      for (std::size_t k = 0; k + 1 < alive.size(); ++k)
        ASSERT_FALSE(alive[k].tag(0) == alive.back().tag(0) &&
                     MPI_Comm(alive[k]) == MPI_Comm(alive.back()));
    }
    if (alive.size() < 3000 + 500 * static_cast<std::size_t>(me)) continue;
    for (int k = 0; k < 2000; ++k) {
      if ((me + k) % 2 == 0)
        alive.pop_front();
      else
        alive.pop_back();
    }
  }
}

TEST(Many, TwoSidedCollectivesAndSharedMemory) {
  const bool all = std::getenv("HALOCLINE_TEST_ALL_SCHEMES") != nullptr;
  for (const std::string& scheme : schemes({"p2p:", "neighbor:", "shm:"})) {
    SCOPED_TRACE(scheme);
    // More of each than an MPI has communicators; ten times as many of each family's best in short.
    const bool most = all || scheme == "p2p:nonblocking" || scheme == "neighbor:nonblocking" ||
                      scheme == "shm:signal";
    const std::size_t count = mpi::size(world()) != 2 ? 500 : most ? 20'000 : 3000;
    Many many(world(), scheme, count);
    for (std::size_t i = 0; i < count; ++i) many.add();
    EXPECT_EQ(many.run(1), 0U);
    EXPECT_EQ(many.run(2), 0U);
    many.end_in_any_order();
    // What they gave back is used again.
    for (std::size_t i = 0; i < 100; ++i) many.add();
    EXPECT_EQ(many.run(3), 0U);
    many.end_in_any_order();
  }
}

TEST(Many, RemoteMemory) {
  const std::size_t count = mpi::size(world()) == 2 ? 2000 : 50;
  // With words to notify by, which are shared. All take half a minute.
  std::vector<std::string> tested{"rma:get:flush+notify=flag"};
  if (std::getenv("HALOCLINE_TEST_ALL_SCHEMES") != nullptr) {
    tested = tested_schemes();
    std::erase_if(tested, [](const std::string& scheme) { return !scheme.starts_with("rma:"); });
  }
  for (const std::string& scheme : tested) {
    SCOPED_TRACE(scheme);
    Many many(world(), scheme, count);
    for (std::size_t i = 0; i < count; ++i) many.add();
    EXPECT_EQ(many.run(1), 0U);
    EXPECT_EQ(many.run(2), 0U);
  }
}

TEST(Many, UnderWayAtTheSameTime) {
  constexpr std::size_t count = 30;
  for (const std::string& scheme : schemes({"p2p:nonblocking", "neighbor:", "shm:", "rma:"})) {
    SCOPED_TRACE(scheme);
    Many many(world(), scheme, count);
    for (std::size_t i = 0; i < count; ++i) many.add();
    for (int step = 1; step <= 3; ++step) {
      for (std::size_t i = 0; i < count; ++i) {
        many.fill(i, step);
        many[i].start();
      }
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < count; ++i) {
        many[i].finish();
        wrong += many.wrong_halos(i, step);
      }
      EXPECT_EQ(wrong, 0U);
    }
  }
}

TEST(Many, OnACommunicatorThatIsFreedBeforeThem) {
  for (int round = 0; round < 3; ++round) {
    mpi::Comm comm = mpi::Comm::duplicate(world());
    Many many(comm, "p2p:nonblocking", 10);
    Many shared(comm, "shm:signal", 10);
    for (int i = 0; i < 10; ++i) many.add(), shared.add();
    Exchange last(std::move(many[9]));
    many.fill(9, 1);
    comm = {};
    // Nothing of it is gone as long as somebody uses it.
    last.run();
    EXPECT_EQ(many.wrong_halos(9, 1), 0U);
  }
}

#ifdef MPICH
// Other libraries have room for more windows than one would wait for.
TEST(Exhausted, WindowsAreMissedInOurWords) {
  Many many(world(), "rma:put:fence", 3000);
  const std::string said = complaint([&] {
    for (int i = 0; i < 3000; ++i) many.add();
  });
  EXPECT_NE(said.find("rma:put:fence: this MPI gives no further window"), said.npos) << said;
  EXPECT_NE(said.find("use a p2p or shm scheme"), said.npos) << said;
  // Others still work, and so do all that there are.
  Many others(world(), "p2p:nonblocking", 1);
  others.add();
  EXPECT_EQ(others.run(1), 0U);
  EXPECT_EQ(many.run(1), 0U);
}
#endif
