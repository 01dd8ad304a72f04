// Exchanges that end in the middle of a step: nobody waits, and no message that comes late arrives
// in memory that is somebody else's by now, or in another exchange's halo.

#include "common/ranks.hpp"
#include "common/tested_schemes.hpp"

#include "common/complaint.hpp"

#include <halocline/error.hpp>
#include <halocline/exchange.hpp>
#include <halocline/gather_scatter.hpp>
#include <halocline/grid.hpp>
#include <halocline/more/async_exchange.hpp>
#include <halocline/more/global_clock.hpp>
#include <halocline/more/islands.hpp>
#include <halocline/more/reduction.hpp>
#include <halocline/more/replicated.hpp>
#ifdef _OPENMP
#include <halocline/more/style.hpp>
#endif
#include <halocline/more/waiting.hpp>
#include <halocline/ragged_exchange.hpp>
#include <halocline/wait.hpp>

#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <thread>

using namespace halocline;

namespace {

constexpr std::size_t cells = 3000;  // of a link: more than MPI sends at once, so that it waits

/// To the next in a ring and from the one before, and back.
Pattern ring() {
  Pattern pattern;
  const int next = (me() + 1) % ranks(), last = (me() + ranks() - 1) % ranks();
  if (ranks() == 1) return pattern;
  const Block out{.offset = 0, .count = {1, 1, cells}};
  pattern.send(next, out);
  if (last != next) pattern.send(last, out);
  pattern.receive(last, {.offset = cells, .count = {1, 1, cells}});
  if (last != next) pattern.receive(next, {.offset = 2 * cells, .count = {1, 1, cells}});
  return pattern;
}

void wait_for_all() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(world(), &request);
  wait_one("test: all ranks", request);
}

/// Memory of the size that has been freed, where late messages would show.
class Watch {
 public:
  Watch() {
    for (int i = 0; i < 8; ++i) memory_.emplace_back(3 * cells, -1.0);
  }
  bool untouched() const {
    for (const auto& one : memory_)
      if (one != std::vector<double>(3 * cells, -1.0)) return false;
    return true;
  }

 private:
  std::vector<std::vector<double>> memory_;
};

}  // namespace

class Lifetime : public testing::TestWithParam<std::string> {};

TEST_P(Lifetime, MayEndInTheMiddleOfAStep) {
  const std::string& scheme = GetParam();
  const Pattern pattern = ring();
  for (const bool thrown : {false, true}) {
    {
      Array<double> kept(world(), 3 * cells, Scheme(scheme));
      try {
        std::vector<double> own(3 * cells, 5.0);
        const bool is_own = Scheme(scheme).memory() == MemoryKind::plain;
        Exchange exchange(pattern, is_own ? field(own.data(), own.size()) : kept, scheme);
        exchange.run();
        if (me() == ranks() - 1) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        exchange.start();
        if (thrown) throw std::runtime_error("of the caller's own");
      } catch (const std::runtime_error& problem) {
        ASSERT_STREQ(problem.what(), "of the caller's own");
      }
      const Watch watch;
      wait_for_all();
      // Others on the same ranks do not get what was meant for it.
      std::vector<double> x(3 * cells);
      for (std::size_t i = 0; i < cells; ++i) x[i] = me();
      Exchange next(pattern, field(x.data(), x.size()), "p2p:nonblocking");
      next.run();
      if (ranks() > 1) {
        EXPECT_EQ(x[cells], (me() + ranks() - 1) % ranks());
      }
      EXPECT_TRUE(watch.untouched());
    }
    // The same scheme works, on the same ranks.
    Array<double> y(world(), 3 * cells, Scheme(scheme));
    Exchange again(pattern, y, scheme);
    for (int step = 0; step < 3; ++step) {
      for (std::size_t i = 0; i < cells; ++i) y[i] = 10 * step + me();
      again.run();
      again.fill_halos();
      if (ranks() > 1) {
        EXPECT_EQ(y[2 * cells - 1], 10 * step + (me() + ranks() - 1) % ranks());
      }
      wait_for_all();  // of those whose cells are read where they lie
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, Lifetime, testing::ValuesIn(tested_schemes()), name_of_scheme);

TEST(Lifetime, RaggedExchangesMayEndInTheMiddleOfAStep) {
  if (ranks() == 1) GTEST_SKIP() << "needs two ranks";
  const std::vector<int> to{(me() + 1) % ranks()}, from{(me() + ranks() - 1) % ranks()};
  for (const char* scheme : {"p2p:nonblocking", "p2p:persistent", "neighbor:nonblocking"}) {
    {
      RaggedExchange exchange(world(), to, from, sizeof(double), cells, scheme);
      exchange.outgoing<double>(0, 2 * cells);
      exchange.start();
    }
    const Watch watch;
    wait_for_all();
    RaggedExchange next(world(), to, from, sizeof(double), cells, scheme);
    next.outgoing<double>(0, 1)[0] = me();
    next.run();
    EXPECT_EQ(next.received<double>(0)[0], from[0]);
    EXPECT_TRUE(watch.untouched());
  }
}

TEST(Lifetime, WindowsOfSomeRanksEndInOneOrder) {
  // Those of refused exchanges, of whole ones and of broken ones, which live until MPI ends; each
  // rank has windows of its own with either neighbour.
  const auto open_chain = [] {
    Pattern pattern;
    if (me() + 1 < ranks()) pattern.send(me() + 1, {.offset = 0, .count = {1, 1, cells}});
    if (me() > 0) pattern.receive(me() - 1, {.offset = cells, .count = {1, 1, cells}});
    return pattern;
  }();
  for (const char* scheme : {"rma:put:flush+windows=per-link", "rma:put:fence+group=neighbors",
                             "rma:put:pscw", "shm:pscw", "shm:fence", "p2p:nonblocking"})
    for (const bool in_the_middle : {false, true}) {
      std::vector<double> x(3 * cells, me() + 1.0);
      try {
        Exchange exchange(open_chain, field(x.data(), x.size()), scheme);
        exchange.run();
        wait_for_all();
        if (in_the_middle) exchange.start();
        throw std::runtime_error("of the caller's own");
      } catch (const std::runtime_error& problem) {
        ASSERT_STREQ(problem.what(), "of the caller's own");
      }
      EXPECT_EQ(x[cells], me() > 0 ? me() : me() + 1.0) << scheme;
      wait_for_all();
    }
}

TEST(Lifetime, WhatGivesUpLeavesNothingBehindThatOthersMeet) {
  if (ranks() == 1) GTEST_SKIP() << "needs two ranks";
  const auto before = Patience::current().timeout;
  const Pattern pattern = ring();
  for (const std::string scheme :
       {"p2p:nonblocking", "p2p:persistent", "neighbor:nonblocking", "shm:signal", "shm:message"}) {
    {
      std::vector<double> x(3 * cells, 7.0);
      Exchange exchange(pattern, field(x.data(), x.size()), scheme);
      wait_for_all();
      if (me() == 0) {
        // The others never begin this step.
        Patience::current().timeout = std::chrono::milliseconds(20);
        exchange.start();
        EXPECT_THROW(exchange.finish(), Timeout);
        EXPECT_THROW(exchange.finish(), Error);
        EXPECT_THROW(exchange.start(), Error);
      }
      Patience::current().timeout = before;
    }
    const Watch watch;
    wait_for_all();
    std::vector<double> y(3 * cells);
    for (std::size_t i = 0; i < cells; ++i) y[i] = 100 + me();
    Exchange next(pattern, field(y.data(), y.size()), scheme);
    next.run();
    EXPECT_EQ(y[cells], 100 + (me() + ranks() - 1) % ranks()) << scheme;
    EXPECT_TRUE(watch.untouched()) << scheme;
  }
}

TEST(Step, IsBegunAndFinishedInTurn) {
  std::vector<double> x(3 * cells);
  Exchange exchange(ring(), field(x.data(), x.size()), "p2p:nonblocking");
  EXPECT_EQ(complaint([&] { exchange.finish(); }),
            "p2p:nonblocking: finish: no step is under way; start one first");
  EXPECT_NE(complaint([&] { exchange.await(0, 0, 1); }), "");
  EXPECT_NE(complaint([&] { exchange.ready(0, 0, 1); }), "");
  exchange.start();
  EXPECT_EQ(complaint([&] { exchange.start(); }),
            "p2p:nonblocking: start: a step is under way; finish it first");
  // A step goes on where the exchange goes.
  Exchange moved(std::move(exchange));
  EXPECT_EQ(complaint([&] { exchange.start(); }),
            "exchange: this one has been moved from; use the one it was moved to");
  moved.finish();
  if (ranks() > 1) {
    moved.open();
    EXPECT_NE(complaint([&] { moved.finish(); }), "");
    EXPECT_NE(complaint([&] { moved.ready(9, 0, 1); }), "");
    // What is refused leaves the step as it was.
    const std::size_t links = ranks() > 2 ? 2 : 1, all = cells;
    EXPECT_EQ(complaint([&] { moved.ready(0, 1, all); }),
              "p2p:nonblocking: " + std::to_string(all) +
                  " elements from 1 on of link 0, which has " + std::to_string(all));
    EXPECT_NE(complaint([&] { moved.ready(0, 0, std::size_t(-1)); }), "");
    for (std::size_t link = 0; link < links; ++link) moved.ready(link, 0, all);
    EXPECT_NE(complaint([&] { moved.ready(0, 0, 1); }), "");
    moved.finish();
    EXPECT_NE(complaint([&] { moved.view(0, 9, 0); }).find("view: block 9 of link 0, which has"),
              std::string::npos);
    EXPECT_NE(complaint([&] { moved.view(9, 0, 0); }), "");
  }
  exchange = std::move(moved);
  exchange.run();

  RaggedExchange ragged(world(), {}, {}, 8, 1, "p2p:nonblocking");
  EXPECT_THROW(ragged.finish(), Error);
  ragged.start();
  EXPECT_THROW(ragged.start(), Error);
  ragged.finish();
}

/// Moves `one` in the middle of what it does, onto another and back, and calls what it says of one
/// that has been moved from.
template <class One, class Use>
void move_about(One one, One other, const char* kind, Use&& use) {
  One moved(std::move(one));
  const std::string said = complaint([&] { use(one); });
  EXPECT_EQ(said,
            std::string(kind) + ": this one has been moved from; use the one it was moved to");
  other = std::move(moved);
  One& same = other;
  other = std::move(same);
  one = std::move(other);
  use(one);
}

TEST(Moved, ExchangesOfEveryClassGoOnWhereTheyAre) {
  const std::vector<int> to{(me() + 1) % ranks()}, from{(me() + ranks() - 1) % ranks()};
  const bool alone = ranks() == 1;
  for (const std::string scheme : {"p2p:nonblocking", "p2p:persistent", "shm:signal"}) {
    std::vector<double> x(3 * cells), y(3 * cells);
    for (std::size_t i = 0; i < cells; ++i) x[i] = me();
    const auto exchange = [&](std::vector<double>& z) {
      return Exchange(ring(), field(z.data(), z.size()), scheme);
    };
    Exchange one = exchange(x);
    one.start();
    move_about(std::move(one), exchange(y), "exchange", [](Exchange& it) {
      static_cast<void>(it.scheme());
      it.finish();
    });
    if (!alone) {
      EXPECT_EQ(x[2 * cells - 1], from[0]) << scheme;
    }

    const auto ragged = [&] {
      return RaggedExchange(world(), alone ? std::vector<int>{} : to,
                            alone ? std::vector<int>{} : from, 8, 1, scheme);
    };
    RaggedExchange links = ragged();
    if (!alone) links.outgoing<double>(0, 1)[0] = me();
    links.start();
    double received = from[0];
    move_about(std::move(links), ragged(), "ragged exchange", [&](RaggedExchange& it) {
      static_cast<void>(it.scheme());
      it.finish();
      if (!alone) received = it.received<double>(0)[0];
    });
    EXPECT_EQ(received, from[0]) << scheme;

    std::vector<double> node{1.0 + me()}, another{0.0};
    const std::int64_t number[] = {0};
    const auto sum = [&](std::vector<double>& of) {
      return GatherScatter(world(), number, field(of.data(), 1), scheme);
    };
    GatherScatter sums = sum(node);
    EXPECT_EQ(complaint([&] { sums.finish(); }),
              scheme + ": finish: no step is under way; start one first");
    sums.start();
    EXPECT_EQ(complaint([&] { sums.start(); }),
              scheme + ": start: a step is under way; finish it first");
    move_about(std::move(sums), sum(another), "gather-scatter",
               [](GatherScatter& it) { it.finish(); });
    EXPECT_EQ(node[0], ranks() * (ranks() + 1) / 2) << scheme;
  }

  Pattern pattern;
  if (!alone) {
    pattern.send(to[0], {.offset = 0});
    pattern.receive(from[0], {.offset = 1});
  }
  const auto async = [&] { return AsyncExchange(world(), pattern, 8, "p2p:nonblocking"); };
  std::array<double, 2> pair{me() + 0.5, from[0] + 0.5};
  AsyncExchange newest = async();
  newest.send(pair.data(), 1);
  pair[1] = alone ? pair[1] : -1;
  move_about(std::move(newest), async(), "asynchronous exchange",
             [&](AsyncExchange& it) { it.drain(pair.data()); });
  EXPECT_EQ(pair[1], from[0] + 0.5);

  // To move a replicated array is to copy it: both are the same.
  Replicated<double> copies(world(), 4);
  Replicated<double> moved(std::move(copies));
  copies.write(0, [](auto all) { all[0] = 3; });  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(moved[0], 3);
}

const std::vector<std::string> without_windows{"p2p:nonblocking", "p2p:persistent",
                                               "neighbor:nonblocking", "shm:signal"};
const std::vector<std::string> with_windows{"rma:put:flush", "rma:put:fence", "shm:fence"};

/// Owners of objects of all classes, each of which has been used.
class Objects {
 public:
  explicit Objects(MPI_Comm comm) : comm_(comm) {}

  template <class T>
  T* keep(T thing) {
    alive_.push_back(std::make_shared<T>(std::move(thing)));
    return static_cast<T*>(alive_.back().get());
  }

  /// What shares all that it needs. `under_way`: in the middle of a step.
  void add(const std::string& scheme, const std::string& memory, bool under_way) {
    const auto use = [under_way](auto* exchange) {
      exchange->run();
      if (under_way) exchange->start();
    };
    Grid* const grid = keep(Grid(comm_, {8 * ranks(), 6}, {.periodic = {true, true}}));
    const auto cells = [&] { return keep(Array<double>(*grid, Scheme(memory))); };
    use(keep(Exchange(comm_, grid->halo(), *cells(), scheme)));
    use(keep(
        Exchange(comm_, grid->halo().reversed(), *cells(), scheme, {.combine = Combine::sum})));
    use(keep(Exchange(comm_, grid->halo(), *cells(), scheme, {.changes = true})));
    const std::vector<int> next{(me() + 1) % ranks()}, last{(me() + ranks() - 1) % ranks()};
    use(keep(RaggedExchange(comm_, next, last, 8, 1, scheme)));
    Array<double>* const nodes = cells();
    const std::vector<std::int64_t> numbers(nodes->size(), 3);
    use(keep(GatherScatter(comm_, numbers, *nodes, scheme)));
#ifdef _OPENMP
    if (scheme == without_windows.front())
      keep(StyledExchange(comm_, grid->halo(), {*cells()}, Scheme(scheme), Style("masteronly"), 2))
          ->run();
#endif
  }
  /// What has windows or communicators of its own, or says goodbye to its peers.
  void add_others(bool under_way) {
    Pattern pattern;
    if (ranks() > 1) {
      pattern.send((me() + 1) % ranks(), {.offset = 0});
      pattern.receive((me() + ranks() - 1) % ranks(), {.offset = 1});
    }
    std::array<double, 2> pair{1, 2};
    for (const bool racy : {false, true})
      for (const std::string& scheme : async_schemes(racy)) {
        AsyncExchange* const exchange =
            keep(AsyncExchange(comm_, pattern, 8, scheme, {.racy = racy}));
        exchange->send(pair.data(), 1);
        exchange->receive(pair.data());
        if (!under_way) exchange->drain(pair.data());
      }
    for (const ReductionKind kind : reduction_kinds)
      for (const bool pending : {false, true}) {
        std::shared_ptr<MaxReduction> most = make_max_reduction(comm_, kind, 2);
        most->contribute(me());
        if (!pending) most->complete();
        alive_.push_back(std::move(most));
      }
    for (const AsyncSumKind kind : async_sum_kinds) {
      std::shared_ptr<AsyncSum> sum = make_async_sum(comm_, kind);
      sum->advance([] { return 1.0; });
      alive_.push_back(std::move(sum));
    }
    keep(Replicated<double>(comm_, 10))->write(0, [](auto all) { all[0] = 1; });
    keep(Islands(comm_));
    keep(GlobalClock(comm_));
#ifdef _OPENMP
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    if (level == MPI_THREAD_MULTIPLE) {
      const auto cells = std::make_shared<std::vector<double>>(2);
      alive_.push_back(cells);
      keep(StyledExchange(comm_, pattern, {field(cells->data(), 2)}, "p2p:nonblocking",
                          Style("multiple"), 2))
          ->run();
    }
#endif
  }
  void end_in_order_of(std::minstd_rand draw) {
    std::shuffle(alive_.begin(), alive_.end(), draw);
    while (!alive_.empty()) alive_.pop_back();
  }

 private:
  MPI_Comm comm_;
  std::vector<std::shared_ptr<void>> alive_;
};

/// Each rank takes an order of its own.
TEST(Lifetime, ObjectsMayEndInAnyOrder) {
  for (unsigned round = 0; round < 2; ++round) {
    Objects objects(world());
    for (const std::string& scheme : without_windows) objects.add(scheme, scheme, false);
    for (const std::string& scheme : with_windows)
      if (!is_broken(scheme)) objects.add(scheme, scheme, false);
    objects.add_others(round > 0);
    objects.end_in_order_of(std::minstd_rand(100 * round + static_cast<unsigned>(me()) + 1));
  }
}

// A rank waits for nobody when it destroys: here another one lives on until it has a message that
// is sent afterwards.
TEST(Lifetime, NobodyWaitsForThoseWhoLiveOn) {
  if (ranks() == 1) GTEST_SKIP() << "needs two ranks";
  for (const std::string scheme : {"p2p:persistent", "neighbor:nonblocking", "rma:put:fence",
                                   "rma:get:flush", "shm:fence", "shm:signal+access=copy"}) {
    if (is_broken(scheme)) continue;
    std::optional<Array<double>> x(std::in_place, world(), 3 * cells, Scheme(scheme));
    std::optional<Exchange> exchange(std::in_place, ring(), *x, Scheme(scheme));
    exchange->run();
    int word = 0;
    if (me() == 0) {
      exchange.reset(), x.reset();
      for (int other = 1; other < ranks(); ++other)
        MPI_Send(&word, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ((*x)[0], 0) << scheme;
    }
  }
}

TEST(Lifetime, ObjectsOfEveryClassMayEndWhileAnExceptionPasses) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world(), &comm);
  const Patience before = Patience::current();
  Patience::current().timeout = std::chrono::seconds(30);  // rather than to hang
  for (const bool again : {false, true}) {
    SCOPED_TRACE(again ? "once more on the same ranks" : "at first");
    const std::string said = complaint([&] {
      Objects objects(comm);
      for (const std::string& scheme : without_windows)
        objects.add(scheme, "p2p:nonblocking", true);
      objects.add_others(true);
      throw Error("of the caller's own");
    });
    EXPECT_EQ(said, "of the caller's own");
    wait_for_all();
  }
  Patience::current() = before;
  MPI_Comm_free(&comm);
  wait_for_all();
}
