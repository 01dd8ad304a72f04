// Clocks with known offset and drift, simulated and on real ranks.

#include <halocline/more/global_clock.hpp>
#include <machine/shared_words.hpp>

#include <gtest/gtest.h>
#include <halocline/more/mpi.hpp>

#include <cmath>
#include <random>

namespace {

using namespace halocline;

/// A reference clock and mine, `offset` behind and `drift` slower; messages take random time.
struct World {
  double time = 1000, offset, drift, shortest = 1e-6, longest = 30e-6;
  std::mt19937 random{11};

  double mine() const { return time * (1 - drift) - offset; }
  double travel() {
    time += shortest + std::exponential_distribution<double>(1e5)(random);
    if (random() % 20 == 0) time += longest;  // now and then a long way
    return time;
  }
  ClockProbe ask() {
    return probe_clock([this] { return mine(); },
                       [this] {
                         const double answer = travel();
                         travel();
                         return answer;
                       },
                       10);
  }
};

TEST(Probe, KeepsTheQuickestQuestion) {
  World world{.offset = 5, .drift = 0};
  for (int i = 0; i < 100; ++i) {
    const ClockProbe one = world.ask();
    EXPECT_GE(one.round_trip, 2 * world.shortest * 0.999);
    EXPECT_NEAR(one.offset, 5, one.round_trip / 2 + 1e-9);
  }
}

TEST(Fit, FindsOffsetAndDrift) {
  World world{.offset = -3, .drift = 2e-5};
  std::vector<ClockProbe> probes;
  for (int i = 0; i < 100; ++i) {
    probes.push_back(world.ask());
    world.time += 0.05;
  }
  const ClockLine line = fit_clock(probes);
  EXPECT_NEAR(line.drift, 2e-5, 2e-7);
  // Also some seconds later.
  for (double later : {0.0, 1.0, 10.0}) {
    world.time = 1005 + later;
    EXPECT_NEAR(line.to_reference(world.mine()), world.time, line.error + 2e-7 * later);
  }
}

TEST(Fit, TakesNoiseForNoDrift) {
  World world{.offset = 7, .drift = 0};
  std::vector<ClockProbe> probes;
  for (int i = 0; i < 20; ++i) {
    probes.push_back(world.ask());
    world.time += 1e-3;
  }
  const ClockLine line = fit_clock(probes);
  EXPECT_EQ(line.drift, 0);
  world.time += 100;
  EXPECT_NEAR(line.to_reference(world.mine()), world.time, 5e-6);
}

TEST(Fit, OfOneProbeIsItsOffset) {
  const ClockProbe only{10, 0.5, 1e-6};
  const ClockLine line = fit_clock(std::span(&only, 1));
  EXPECT_EQ(line.to_reference(20), 20.5);
  EXPECT_EQ(line.error, 5e-7);
  EXPECT_EQ(fit_clock({}).to_reference(20), 20);
}

TEST(Fit, IgnoresProbesThatTookLong) {
  std::vector<ClockProbe> probes;
  for (int i = 0; i < 10; ++i) probes.push_back({i * 0.1, 2, 1e-6});
  probes.push_back({0.35, 2.4, 0.9});
  EXPECT_NEAR(fit_clock(probes).to_reference(0.5), 2.5, 1e-12);
}

TEST(Fit, LearnsFromProbesThatAllTakeLongerThanTheFirst) {
  // The ranks have moved apart: no later question is answered within twice the first round trips.
  World world{.offset = 4, .drift = 1e-4};
  std::vector<ClockProbe> probes;
  for (int i = 0; i < 50; ++i) {
    if (i == 10) world.shortest = 20e-6, world.time += 1;
    probes.push_back(world.ask());
    world.time += 1e-3;
  }
  const ClockLine line = fit_clock(probes);
  EXPECT_NEAR(line.drift, 1e-4, 1e-5);
  EXPECT_NEAR(line.to_reference(world.mine()), world.time, 2 * line.error);
}

TEST(Fit, TakesNoDriftFromProbesCloserThanTheirRoundTripsTell) {
  // On a line by luck, but over a time in which an offset cannot be known to 1 %.
  std::vector<ClockProbe> probes;
  for (int i = 0; i < 10; ++i) probes.push_back({i * 30e-6, 3 + i * 0.3e-6, 2e-6});
  EXPECT_EQ(fit_clock(probes).drift, 0);
}

/// A time that passes only when somebody reads it, so that no load on the machine changes the
/// outcome.
class SharedTime {
 public:
  static constexpr double tick = 1e-6;
  SharedTime() : word_(MPI_COMM_WORLD, "clock test", {0}) {}
  double read() const { return tick * static_cast<double>(word_.of(0, 0).fetch_add(1)); }
  /// Lets time pass for all. Collective.
  void pass(std::uint64_t ticks) const {
    MPI_Barrier(MPI_COMM_WORLD);
    if (halocline::mpi::rank(MPI_COMM_WORLD) == 0) word_.of(0, 0).fetch_add(ticks);
    MPI_Barrier(MPI_COMM_WORLD);
  }

 private:
  machine::SharedWords word_;
};

TEST(GlobalClock, IsRankZerosOnAllRanks) {
  const int rank = halocline::mpi::rank(MPI_COMM_WORLD);
  const SharedTime time;
  const double drift = 0.01 * rank, offset = 100.0 * rank;
  GlobalClock clock(MPI_COMM_WORLD, [&] { return (1 + drift) * time.read() - offset; });
  for (int i = 0; i < 10; ++i) {
    time.pass(100'000);
    clock.refresh();
  }
  // Without the offset it would be off by 10^8 ticks, without the drift by 10^4.
  time.pass(1'000'000);
  const double before = time.read(), global = clock.now(), after = time.read();
  EXPECT_GE(global, before - 500 * SharedTime::tick);
  EXPECT_LE(global, after + 500 * SharedTime::tick);
  EXPECT_EQ(clock.error() > 0, halocline::mpi::size(MPI_COMM_WORLD) > 1);
}

}  // namespace
