// Links whose messages change in length from step to step: what comes is what was sent, whatever
// the scheme, from nothing to far beyond the room that was expected to do.

#include "common/changing_graph.hpp"
#include "common/complaint.hpp"
#include "common/ranks.hpp"
#include "common/tested_schemes.hpp"

#include <halocline/more/tuner.hpp>
#include <halocline/more/waiting.hpp>
#include <halocline/ragged_exchange.hpp>

#include <gtest/gtest.h>
#include <chrono>

using namespace halocline;

namespace {

std::vector<std::string> schemes() {
  std::vector<std::string> some = tested_schemes();
  for (const char* scheme :
       {"shm:signal+access=copy", "shm:message+island=2+outer=rma:put:fence",
        "shm:message+outer=rma:put:fence", "shm:signal+island=2+outer=p2p:persistent",
        "rma:put:pscw+pack=off+alloc=create", "rma:put:flush+notify=flag",
        "rma:put:flush+notify=flag+alloc=create", "rma:get:fence+pack=off+alloc=create",
        "rma:put:fence+group=neighbors", "rma:put:flush+windows=per-link",
        "p2p:nonblocking+heads=1", "rma:get:fence+heads=2"})
    some.push_back(scheme);
  return without_broken(std::move(some));
}

/// Elements on a link in a step: none, few, as many as expected, some more, very many.
std::size_t length(unsigned seed, std::size_t capacity, std::size_t from, std::size_t to,
                   int step) {
  const std::uint64_t dice = mixed(seed, from, to, step);
  switch (dice % 8) {
    case 0: return 0;
    case 1: return capacity;
    case 2: return capacity + 1 + dice / 8 % 40;
    case 3: return dice / 8 % 64 == 0 ? 20000 + dice / 512 % 20000 : 300 + dice / 512 % 300;
    default: return dice / 8 % (capacity + 1);
  }
}

void run(const std::string& scheme, unsigned seed, std::size_t capacity, int steps) {
  SCOPED_TRACE(scheme + ", seed " + std::to_string(seed));
  const Neighbourhood near(seed);
  const std::vector<int> targets = near.targets(), sources = near.sources();
  RaggedExchange exchange(world(), targets, sources, sizeof(std::uint64_t), capacity, scheme);
  for (int step = 0; step < steps; ++step) {
    for (std::size_t link = 0; link < targets.size(); ++link) {
      const auto to = static_cast<std::size_t>(targets[link]);
      const std::size_t count = length(seed, capacity, near.me, to, step);
      // A rank that has nothing to say need not say so.
      if (count == 0 && step % 2 == 0) continue;
      const auto room = exchange.outgoing<std::uint64_t>(link, count);
      for (std::size_t i = 0; i < count; ++i) room[i] = mixed(near.me, to, step, i);
    }
    exchange.start();
    exchange.finish();
    for (std::size_t link = 0; link < sources.size(); ++link) {
      const auto from = static_cast<std::size_t>(sources[link]);
      const auto came = exchange.received<std::uint64_t>(link);
      ASSERT_EQ(came.size(), length(seed, capacity, from, near.me, step)) << "step " << step;
      for (std::size_t i = 0; i < came.size(); ++i)
        ASSERT_EQ(came[i], mixed(from, near.me, step, i)) << "step " << step << ", element " << i;
    }
  }
}

}  // namespace

class Ragged : public testing::TestWithParam<std::string> {};

TEST_P(Ragged, BringsWhatWasSent) {
  // Up to three ranks long enough to grow at the steps on which all agree; where many outnumber the
  // cores every step is slow.
  const int ranks = mpi::size(world());
  run(GetParam(), 1, 1, ranks <= 2 ? 200 : ranks == 3 ? 36 : 4);
  run(GetParam(), 2, 50, ranks <= 2 ? 100 : 3);
}

TEST_P(Ragged, BringsItBetweenRanksThatAreHeldUp) {
  inject_delays(std::chrono::microseconds(200), 7 + static_cast<unsigned>(mpi::rank(world())));
  run(GetParam(), 3, 7, mpi::size(world()) <= 2 ? 60 : 4);
  inject_delays(std::chrono::microseconds(0), 1);
}

INSTANTIATE_TEST_SUITE_P(Schemes, Ragged, testing::ValuesIn(schemes()), name_of_scheme);

TEST(RaggedExchange, LetsAutoChoose) {
  const QuickTuning quick;
  run("auto", 4, 20, 40);
}

TEST(RaggedExchange, NamesThePeerThatDoesNotExpectAnything) {
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  if (ranks < 2) GTEST_SKIP() << "needs two ranks";
  const std::vector<int> targets = me == 0 ? std::vector{1} : std::vector<int>{};
  const std::string said =
      complaint([&] { RaggedExchange exchange(world(), targets, {}, 8, 4, "p2p:nonblocking"); });
  EXPECT_NE(said.find("rank 1"), said.npos) << said;
}

TEST(RaggedExchange, SendsNothingToNobody) {
  const int last = ranks() - 1;
  // A row of ranks that is open at its ends; MPI_PROC_NULL may come several times.
  const std::vector<int> up{me() < last ? me() + 1 : MPI_PROC_NULL, MPI_PROC_NULL};
  const std::vector<int> down{MPI_PROC_NULL, me() > 0 ? me() - 1 : MPI_PROC_NULL};
  RaggedExchange exchange(world(), up, down, sizeof(int), 3, "p2p:nonblocking");
  EXPECT_EQ(mpi::size(exchange.comm()), ranks());
  for (int step = 0; step < 3; ++step) {
    for (std::size_t link : {0u, 1u})
      for (int& value : exchange.outgoing<int>(link, 2)) value = 10 * step + me();
    exchange.run();
    EXPECT_EQ(exchange.received<int>(0).size(), 0u);
    ASSERT_EQ(exchange.received<int>(1).size(), me() > 0 ? 2u : 0u);
    if (me() > 0) {
      EXPECT_EQ(exchange.received<int>(1)[1], 10 * step + me() - 1);
    }
  }
  EXPECT_THROW(exchange.received<int>(2), Error);
  EXPECT_THROW(exchange.outgoing<int>(2, 1), Error);
}

TEST(RaggedExchange, RefusesWhatItCannotDo) {
  EXPECT_THROW(RaggedExchange(world(), {}, {}, 0, 4, "p2p:nonblocking"), Error);
  const int ranks = mpi::size(world()), me = mpi::rank(world());
  EXPECT_THROW(RaggedExchange(world(), {ranks}, {}, 8, 4, "p2p:nonblocking"), Error);
  const auto refusal = [](const std::vector<int>& targets, const std::vector<int>& sources) {
    return complaint([&] { RaggedExchange(world(), targets, sources, 8, 4, "p2p:nonblocking"); });
  };
  EXPECT_EQ(refusal({me, me}, {me}),
            "ragged exchange: rank 0 names itself 2 times among its targets and 1 times among its "
            "sources");
  if (ranks == 1) return;
  EXPECT_EQ(
      complaint([&] { RaggedExchange(world(), {}, {}, me == 0 ? 8 : 9, 4, "p2p:nonblocking"); }),
      "ragged exchange: elements have 8 bytes on one rank and 9 on another; give the same on "
      "all of them");
  const std::vector<int> twice = me == 0 ? std::vector{1, 1} : std::vector<int>{};
  EXPECT_EQ(
      refusal(twice, me == 1 ? std::vector{0} : std::vector<int>{}),
      "ragged exchange: rank 1 names rank 0 1 times among its sources, which names it 2 times "
      "among its targets");
  RaggedExchange idle(world(), {}, {}, 8, 4, "p2p:nonblocking");
  idle.run();
}

TEST(RaggedExchange, HasSeveralLinksBetweenTwoRanksAndWithItself) {
  // To the next rank twice, to this one twice, and to nobody; elements that are no whole words.
  const int next = (me() + 1) % ranks(), last = (me() + ranks() - 1) % ranks();
  const std::vector<int> to{next, me(), MPI_PROC_NULL, next, me()}, from{me(), last, me(), last};
  const std::vector<std::size_t> lands =
      ranks() == 1 ? std::vector<std::size_t>{0, 1, 3, 4} : std::vector<std::size_t>{1, 0, 4, 3};
  for (const char* scheme :
       {"p2p:nonblocking", "rma:put:fence", "shm:signal", "neighbor:blocking"}) {
    RaggedExchange exchange(world(), to, from, sizeof(float), 3, scheme);
    const auto count = [](std::size_t link, int step) { return (link * 5 + 3 * step) % 11; };
    for (int step = 0; step < 6; ++step) {
      for (std::size_t link = 0; link < to.size(); ++link) {
        const auto room = exchange.outgoing<float>(link, count(link, step));
        for (std::size_t i = 0; i < room.size(); ++i)
          room[i] = static_cast<float>(1000 * step + 100 * me() + 10 * static_cast<int>(link)) +
                    static_cast<float>(i) / 64;
      }
      exchange.run();
      for (std::size_t link = 0; link < from.size(); ++link) {
        const auto came = exchange.received<float>(link);
        ASSERT_EQ(came.size(), count(lands[link], step)) << scheme << ", link " << link;
        for (std::size_t i = 0; i < came.size(); ++i)
          ASSERT_EQ(came[i], static_cast<float>(1000 * step + 100 * from[link] +
                                                10 * static_cast<int>(lands[link])) +
                                 static_cast<float>(i) / 64);
      }
    }
    exchange.run();  // nothing to send
    for (std::size_t link = 0; link < from.size(); ++link)
      EXPECT_EQ(exchange.received<float>(link).size(), 0U);
  }
}

TEST(RaggedExchange, TakesTheLargestCapacityOfAnyRank) {
  const int next = (me() + 1) % ranks(), last = (me() + ranks() - 1) % ranks();
  for (const char* scheme : {"p2p:nonblocking", "shm:signal"}) {
    RaggedExchange exchange(world(), {next}, {last}, sizeof(int),
                            static_cast<std::size_t>(4 + 10 * me()), scheme);
    const std::vector<int> mine(static_cast<std::size_t>(me() + 1), me());
    exchange.send<int>(0, mine);
    exchange.run();
    EXPECT_EQ(exchange.received<int>(0).size(), static_cast<std::size_t>(last + 1));
  }
}

TEST(RaggedExchange, TakesElementsOfOneSizeOnly) {
  const int ranks = mpi::size(world()), me = mpi::rank(world());
  if (ranks < 2) GTEST_SKIP() << "needs two ranks";
  const int next = (me + 1) % ranks, last = (me + ranks - 1) % ranks;
  RaggedExchange exchange(world(), {next}, {last}, 8, 4, "p2p:nonblocking");
  EXPECT_THROW(exchange.outgoing<float>(0, 1), Error);
  const std::vector<double> mine{1.5 * me, 2, 3, 4, 5, 6};
  exchange.send<double>(0, mine);
  exchange.run();
  EXPECT_EQ(exchange.received<double>(0).size(), 6U);
  EXPECT_EQ(exchange.received<double>(0)[0], 1.5 * last);
}
