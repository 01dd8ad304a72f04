// Sections on real ranks: every lap brings the right bytes, whatever is tried in it.

#include "common/complaint.hpp"
#include "mpi/collectives.hpp"
#include "tuner/running.hpp"

#include <halocline/halocline.hpp>
#include <halocline/more/section.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

using namespace halocline;

namespace {

constexpr const char* running = "auto+when=running";

/// Each rank of a ring has a value for either neighbour, and room for theirs.
struct Ring {
  explicit Ring(int values, const Scheme& scheme = running) : values(values), u(4 * values) {
    const int ranks = mpi::size(world()), me = mpi::rank(world());
    const int left = (me + ranks - 1) % ranks, right = (me + 1) % ranks;
    const auto n = static_cast<std::size_t>(values);
    Pattern pattern;
    const auto at = [n](std::size_t block) {
      return Block{.offset = static_cast<std::ptrdiff_t>(block * n), .count = {1, 1, n}};
    };
    if (ranks == 1) {
      pattern.copy(at(0), at(3));
      pattern.copy(at(1), at(2));
    } else {
      pattern.send(left, at(0));
      pattern.send(right, at(1));
      // With two ranks both go to the same peer, in the order of sending.
      pattern.receive(ranks == 2 ? left : right, at(3));
      pattern.receive(ranks == 2 ? right : left, at(2));
    }
    exchange.emplace(pattern, field(u.data(), u.size()), scheme);
  }

  double sent(int rank, int side, int lap, int i) const {
    return rank + 0.5 * side + 10.0 * lap + i;
  }
  void write(int lap) {
    for (int side = 0; side < 2; ++side)
      for (int i = 0; i < values; ++i)
        u[static_cast<std::size_t>(side * values + i)] = sent(mpi::rank(world()), side, lap, i);
  }
  bool right(int lap) const {
    const int ranks = mpi::size(world()), me = mpi::rank(world());
    const int left = (me + ranks - 1) % ranks, next = (me + 1) % ranks;
    for (int i = 0; i < values; ++i)
      if (u[static_cast<std::size_t>(2 * values + i)] != sent(left, 1, lap, i) ||
          u[static_cast<std::size_t>(3 * values + i)] != sent(next, 0, lap, i))
        return false;
    return true;
  }

  int values;
  std::vector<double> u;
  std::optional<Exchange> exchange;
};

/// While it lives, much is tried in few laps.
struct MuchIsTried {
  MuchIsTried() { setenv("HALOCLINE_TUNING_REGRET", "0.9", 1); }
  ~MuchIsTried() { unsetenv("HALOCLINE_TUNING_REGRET"); }
};

TEST(Section, EveryLapBringsWhatIsSent) {
  const MuchIsTried here;
  Ring a(16), b(1000);
  Section step(world(), {&*a.exchange, &*b.exchange});
  int wrong = 0;
  for (int lap = 0; lap < 6000; ++lap) {
    a.write(lap), b.write(lap);
    {
      const Section::Lap one = step.lap();
      a.exchange->start();
      b.exchange->run();
      a.exchange->finish();
    }
    wrong += !a.right(lap) + !b.right(lap);
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(step.laps(), 6000);
  if (mpi::size(world()) > 1) {
    EXPECT_NE(step.report().find("times as long"), std::string::npos) << step.report();
  }
}

TEST(Section, ARunTooShortToPayForASetUpTriesNothing) {
  struct Dear final : detail::Choosable {
    explicit Dear(double seconds) : seconds(seconds) {}
    std::size_t options() const override { return 2; }
    std::string option(std::size_t number) const override { return number == 0 ? "one" : "two"; }
    double set_up() const override { return seconds; }
    std::string prepare(std::size_t number) override { return prepared += number == 1, ""; }
    void use(std::size_t) override {}
    double seconds;
    std::size_t prepared = 0;
  };
  for (const double seconds : {1e4, 1e-9}) {
    const MuchIsTried here;
    Section step(world(), {});
    const auto dear = std::make_shared<Dear>(seconds);
    detail::SectionMembers::add(step, dear);
    for (int lap = 0; lap < 400; ++lap) {
      const Section::Lap one = step.lap();
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    EXPECT_EQ(dear->prepared > 0, seconds < 1) << step.report();
  }
}

TEST(Section, ExchangesExpectSetUpsAlikeOnAllRanks) {
  Ring ring(16);
  const double mine = detail::SectionMembers::of(*ring.exchange)->set_up();
  EXPECT_GT(mine, 0);
  EXPECT_EQ(mpi::reduced(world(), std::vector<double>{mine, -mine}, MPI_MAX),
            (std::vector<double>{mine, -mine}));
}

TEST(Section, WhatWasTriedLastIsNotInUseAfterItsEnd) {
  const MuchIsTried here;
  for (const int laps : {139, 140, 141, 142, 143, 144, 145}) {  // some of which end in a bout
    Ring ring(16);
    std::string chosen;
    {
      Section step(world(), {&*ring.exchange});
      for (int lap = 0; lap < laps; ++lap) {
        const Section::Lap one = step.lap();
        ring.exchange->run();
      }
      chosen = step.findings().chosen.at(0).what;
    }
    EXPECT_EQ(ring.exchange->scheme().str(), chosen) << laps;
  }
}

TEST(Section, OfNothingHasNothingToChoose) {
  Section step(world(), {});
  { const Section::Lap one = step.lap(); }
  EXPECT_NE(step.report().find("nothing to choose"), std::string::npos) << step.report();
}

TEST(Section, AnExchangeAloneHasLapsOfItsOwn) {
  const MuchIsTried here;
  Ring ring(100);
  int wrong = 0;
  for (int lap = 0; lap < 3000; ++lap) {
    ring.write(lap);
    ring.exchange->run();
    wrong += !ring.right(lap);
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_NE(ring.exchange->scheme().str(), running);
}

TEST(Section, AChoiceOfTheProgramsOwnIsTriedToo) {
  Section step(world(), {});
  int last = -1;
  for (int lap = 0; lap < 2000 && last != 50; ++lap) {
    for (int again = 0; again < 4; ++again) {
      const Section::Lap one = step.lap();
      last = step.choice("pause", {2000, 50});
      std::this_thread::sleep_for(std::chrono::microseconds(last));
    }
    if (step.report().find("chosen: pause=50") == std::string::npos) last = -1;
  }
  EXPECT_NE(step.report().find("chosen: pause=50"), std::string::npos) << step.report();
}

TEST(Section, TwoChoicesAreConfirmedTogether) {
  if (mpi::size(world()) > 1) GTEST_SKIP() << "ranks that wait for each other spoil the pauses";
  Section step(world(), {});
  // What helps first stands in the way of the other: 3 ms, 2 ms with a, 1.5 with both, 0.7 with b.
  constexpr int pause[2][2] = {{3000, 700}, {2000, 1500}};
  const std::string best[] = {"chosen: a=0", "chosen: b=1"};
  const auto found = [&] {
    const std::string report = step.report();
    return report.find(best[0]) != std::string::npos && report.find(best[1]) != std::string::npos;
  };
  for (int lap = 0; lap < 3000 && !found(); ++lap) {
    const Section::Lap one = step.lap();
    const int a = step.choice("a", {0, 1}), b = step.choice("b", {0, 1});
    std::this_thread::sleep_for(std::chrono::microseconds(pause[a][b]));
  }
  EXPECT_TRUE(found()) << step.report();
  EXPECT_NE(step.report().find("from one to the next"), std::string::npos) << step.report();
}

TEST(Section, WorkMayBeInAnyUnit) {
  for (const double unit : {1e-6, 1e6}) {
    Section step(world(), {});
    const auto begin = std::chrono::steady_clock::now();
    const auto found = [&] { return step.report().find("chosen: pause=50,") != std::string::npos; };
    for (int lap = 0; lap < 1000 && !found(); ++lap) {
      const Section::Lap one = step.lap(unit);
      std::this_thread::sleep_for(std::chrono::microseconds(step.choice("pause", {2000, 50})));
    }
    EXPECT_TRUE(found()) << step.report();
    const std::chrono::duration<double> all = std::chrono::steady_clock::now() - begin;
    // The slowest rank's, which may be another one in each lap.
    EXPECT_GT(step.findings().seconds, 0.1 * all.count()) << step.report();
    EXPECT_LT(step.findings().seconds, 10 * all.count()) << step.report();
  }
}

TEST(Section, LapsMayBeOfDifferentSizes) {
  Section step(world(), {});
  for (int lap = 0; lap < 400; ++lap) {
    const int work = 1 + lap % 7;
    const Section::Lap one = step.lap(work);
    std::this_thread::sleep_for(std::chrono::microseconds(20 * work * step.choice("n", {3, 1})));
  }
  EXPECT_EQ(step.laps(), 400);
  EXPECT_EQ(step.findings().laps, 400);
}

TEST(Section, MisuseIsAnError) {
  Ring fixed(1, "p2p:nonblocking"), ring(1);
  EXPECT_THROW(Section(world(), {&*ring.exchange, &*fixed.exchange}), Error);
  EXPECT_THROW(Section(world(), {&*ring.exchange, &*ring.exchange}), Error);
  if (mpi::size(world()) > 1) {
    EXPECT_THROW(Section(MPI_COMM_SELF, {&*ring.exchange}), Error);
  }
  // What is refused leaves the others as they were.
  Section step(world(), {&*ring.exchange});
  EXPECT_THROW(Section(world(), {&*ring.exchange}), Error);
  EXPECT_THROW(step.end(), Error);
  step.begin();
  EXPECT_THROW(step.begin(), Error);
  step.end();
  ring.write(0);
  ring.exchange->start();
  EXPECT_THROW((void)step.lap(), Error);
  ring.exchange->finish();
  EXPECT_EQ(step.choice("depth", {1, 2}), 1);
  EXPECT_THROW((void)step.choice("depth", {1, 3}), Error);
  EXPECT_THROW((void)step.choice("none", {}), Error);
}

TEST(Section, ChoicesThatDifferAreTheSameErrorOnAllRanks) {
  if (mpi::size(world()) == 1) GTEST_SKIP() << "one rank agrees with itself";
  const bool last = mpi::rank(world()) == mpi::size(world()) - 1;
  for (const int since : {0, 40}) {
    Section step(world(), {});
    int laps = 0;
    std::string said;
    try {
      for (; laps < 200; ++laps) {
        const Section::Lap lap = step.lap();
        EXPECT_EQ(step.choice("rows", {16, 64}), 16) << "tried before it is known to be the same";
        if (laps >= since) {
          EXPECT_EQ(step.choice("tile", {last ? 3 : 2, 5}), last ? 3 : 2);
        }
      }
    } catch (const Error& problem) {
      said = problem.what();
    }
    EXPECT_NE(said.find("choice 2 is 'tile' of 2 5 on rank 0, but 'tile' of 3 5"), said.npos)
        << said;
    EXPECT_EQ(mpi::from_root(world(), said), said);
    EXPECT_EQ(mpi::from_rank(world(), 0, laps), laps);
    EXPECT_LT(laps, 2 * since + 4);
    EXPECT_THROW(step.begin(), Error);
  }
}

TEST(Section, WorkIsAboveZeroAndFinite) {
  Section step(world(), {});
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double work : {0.0, -1.0, infinity, -infinity, std::nan(""), 1e-320, 1e300}) {
    EXPECT_THROW((void)step.lap(work), Error) << work;
    step.begin();  // none has begun
    const std::string said = complaint([&] { step.end(work); });
    EXPECT_NE(said.find("it is above 0 and finite"), said.npos) << work << ": " << said;
    step.end();  // it has gone on
  }
  EXPECT_EQ(step.laps(), 7);
  // What may be the work of laps, a contest bears.
  for (const double work : {1e-100, 1e100}) {
    Section far(world(), {});
    for (int lap = 0; lap < 500; ++lap) {
      const Section::Lap one = far.lap(work);
      EXPECT_GT(far.choice("n", {1, 2}), 0);
    }
    EXPECT_TRUE(std::isfinite(far.findings().seconds)) << far.report();
    EXPECT_TRUE(std::isfinite(far.findings().cost)) << far.report();
  }
}

TEST(Section, ALapMayOutliveIt) {
  std::optional<Ring> ring(16);
  std::optional<Section> step;
  step.emplace(world(), std::initializer_list<Exchange*>{&*ring->exchange});
  {
    const Section::Lap lap = step->lap();
    ring->exchange->run();
    step.reset();
    ring.reset();
  }
  step.emplace(world(), std::initializer_list<Exchange*>{});
  {
    const Section::Lap first = step->lap();
    Section other = std::move(*step);
    *step = Section(world(), {});  // another one in the place of what it was moved from
    const Section::Lap second = step->lap();
    *step = std::move(other);  // the second lap's section ends, and the first one's is here
  }
  EXPECT_EQ(step->laps(), 1);
  {
    const Section::Lap first = step->lap();
    step->end();
    step->begin();  // which is not for `first` to end
  }
  step->end();
  EXPECT_EQ(step->laps(), 3);
}

/// As one of the program's own that goes, and says nothing.
TEST(Section, GoesOnWithoutAMember) {
  class Brief final : public detail::Choosable {
   public:
    std::size_t options() const override { return 2; }
    std::string option(std::size_t number) const override { return std::to_string(number); }
    void use(std::size_t) override {}
    bool busy() const noexcept override { return under_way; }
    bool under_way = false;
  };
  Section step(world(), {});
  auto brief = std::make_shared<Brief>();
  detail::SectionMembers::add(step, brief);
  for (int lap = 0; lap < 300; ++lap) const Section::Lap one = step.lap();
  brief->under_way = true;
  EXPECT_THROW(step.begin(), Error);
  brief.reset();
  for (int lap = 0; lap < 600; ++lap) const Section::Lap one = step.lap();
  EXPECT_TRUE(step.findings().chosen.empty());
  EXPECT_EQ(step.laps(), 900);
}

/// What holds windows, say, gives them back, on all ranks in the same lap.
TEST(Section, WhoHasLostIsDismissed) {
  class Slow final : public detail::Choosable {
   public:
    std::size_t options() const override { return 2; }
    std::string option(std::size_t number) const override { return number == 0 ? "fast" : "slow"; }
    std::string prepare(std::size_t number) override {
      if (number == 1) ready = true;
      return {};
    }
    void use(std::size_t number) override {
      EXPECT_TRUE(number == 0 || ready);
      now = number;
    }
    bool dismiss(std::size_t number) override {
      EXPECT_EQ(number, 1u) << "the other is in use";
      EXPECT_EQ(now, 0u);
      EXPECT_TRUE(ready);
      ready = false;
      ++dismissed;
      return true;
    }
    std::size_t now = 0;
    bool ready = false;
    int dismissed = 0;
  };
  const MuchIsTried here;
  Section step(world(), {});
  const auto slow = std::make_shared<Slow>();
  detail::SectionMembers::add(step, slow);
  for (int lap = 0; lap < 40'000 && slow->dismissed == 0; ++lap) {
    const Section::Lap one = step.lap();
    std::this_thread::sleep_for(std::chrono::microseconds(slow->now == 0 ? 50 : 500));
  }
  EXPECT_EQ(slow->dismissed, 1);
  const std::vector<long> laps =
      mpi::reduced(world(), std::vector<long>{step.laps(), -step.laps()}, MPI_MAX);
  EXPECT_EQ(laps[0], -laps[1]) << "in the same lap";
}

TEST(Section, OneThatWasMovedFromSaysSo) {
  Ring ring(16);
  Section first(world(), {&*ring.exchange});
  first.begin();
  Section step = std::move(first);  // in the middle of a lap
  EXPECT_THROW(first.begin(), Error);
  EXPECT_THROW(first.end(), Error);
  EXPECT_THROW((void)first.choice("depth", {1}), Error);
  EXPECT_THROW((void)first.report(), Error);
  EXPECT_THROW((void)first.laps(), Error);
  ring.write(1);
  ring.exchange->run();
  step.end();
  EXPECT_TRUE(ring.right(1));
  EXPECT_EQ(step.laps(), 1);
}

/// Ranks that went by shares of their own would try other things in other laps.
TEST(Section, TryingCostsWhatRank0Says) {
  constexpr const char* share = "HALOCLINE_TUNING_REGRET";
  const bool first = mpi::rank(world()) == 0;
  setenv(share, first ? "0.9" : "nothing", 1);
  int wrong = 0;
  {
    Ring ring(16), alone(8);
    Section step(world(), {&*ring.exchange});
    for (int lap = 0; lap < 1000; ++lap) {
      ring.write(lap), alone.write(lap);
      const Section::Lap one = step.lap();
      ring.exchange->run();
      alone.exchange->run();
      wrong += !ring.right(lap) + !alone.right(lap);
    }
  }
  EXPECT_EQ(wrong, 0);
  if (first) setenv(share, "nothing", 1);
  EXPECT_THROW(Section(world(), {}), Error);
  for (const char* const none : {"0", "1", "nan"}) {
    setenv(share, none, 1);
    EXPECT_EQ(complaint([] { Section(world(), {}); }),
              std::string(share) + "=" + none +
                  ": must be a share of the run above 0 and below 1, as 0.01");
  }
  unsetenv(share);
}

TEST(Section, OfTwoThatAreAlikeNeitherMayBeUnderWayWhenALapBegins) {
  Ring a(16), b(16);
  Section step(world(), {&*a.exchange, &*b.exchange});
  for (Ring* const one : {&a, &b}) {
    one->exchange->start();
    EXPECT_THROW(step.begin(), Error);
    one->exchange->finish();
  }
}

TEST(Section, ALapThatOneRankLeavesByAnExceptionIsALapOnAll) {
  Ring ring(16);
  Section step(world(), {&*ring.exchange});
  int wrong = 0;
  for (int lap = 0; lap < 2000; ++lap) {
    ring.write(lap);
    try {
      const Section::Lap one = step.lap();
      ring.exchange->run();
      if (lap % 7 == mpi::rank(world())) throw lap;
    } catch (int) {
    }
    wrong += !ring.right(lap);
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(step.laps(), 2000);
}

TEST(Section, EndsBeforeItsExchangesOrAfterThem) {
  std::optional<Section> step;
  {
    Ring ring(8);
    step.emplace(world(), std::initializer_list<Exchange*>{&*ring.exchange});
    for (int lap = 0; lap < 700; ++lap) {
      const Section::Lap one = step->lap();
      ring.write(lap);
      ring.exchange->run();
    }
    EXPECT_TRUE(ring.right(699));
  }
  for (int lap = 0; lap < 700; ++lap) const Section::Lap one = step->lap();
  Ring ring(8);
  step.emplace(world(), std::initializer_list<Exchange*>{&*ring.exchange});
  step->begin();
  step->end();
  step.reset();
  ring.write(1);
  ring.exchange->run();
  EXPECT_TRUE(ring.right(1));
}

}  // namespace
