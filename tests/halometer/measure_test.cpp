// The measurement loop and the checks of what is measured.

#include "measure.hpp"
#include "common/complaint.hpp"
#include "exchange_work.hpp"
#include "handwritten.hpp"
#include "loop.hpp"

#include <gtest/gtest.h>
#include <halocline/error.hpp>
#include <halocline/exchange.hpp>
#include <halocline/grid.hpp>
#include <halocline/more/global_clock.hpp>
#include <halocline/more/mpi.hpp>

#include <algorithm>

namespace {

using namespace halometer;
using namespace halocline;

/// Counts its steps; says of itself what it is told to.
struct Counting : Work {
  explicit Counting(std::size_t& steps_, bool alone_ = false, std::string wrong_ = "")
      : count(steps_), single(alone_), wrong(std::move(wrong_)) {}
  void step() override { ++count; }
  void prepare() override { ++prepared; }
  bool alone() const override { return single; }
  std::string check() override { return wrong; }
  std::size_t& count;
  std::size_t prepared = 0;
  bool single;
  std::string wrong;
};

/// A loop that takes 20 µs a step with an exchange, and 10 without.
struct Looping : Counting {
  using Counting::Counting;
  bool has_loop() const override { return true; }
  void loop(std::size_t steps_, bool exchanging) override {
    const double end =
        steady_seconds() + static_cast<double>(steps_) * (exchanging ? 20e-6 : 10e-6);
    while (steady_seconds() < end) {
    }
  }
};

constexpr Limits six_samples{.width = 1, .budget_s = 1e9, .least = 6, .most = 6};

Contender counting(const std::string& name, std::size_t& steps, bool alone = false,
                   const std::string& wrong = "") {
  return {.scheme = name, .parameters = {}, .make = [=, &steps]() -> std::unique_ptr<Work> {
            return std::make_unique<Counting>(steps, alone, wrong);
          }};
}

/// Measures until what it finds is `undisturbed`, which all ranks see alike: where others compute
/// on the same cores a step may take a thousand times as long, but not in all of a hundred times.
std::vector<Measured> measure(const Group& group, const Limits& limits, auto&& undisturbed) {
  for (int attempt = 1;; ++attempt) {
    auto results = Measurement(world(), limits).run(group, 1);
    if (undisturbed(results) || attempt == 100) return results;
  }
}

TEST(Measurement, TakesSamplesOfAllAndTheSameOnAllRanks) {
  std::size_t steps_a = 0, steps_b = 0;
  Group group{.title = "two", .contenders = {counting("a", steps_a), counting("b", steps_b, true)}};
  const auto results = measure(group, six_samples, [&](const auto& found) {
    const bool joined = found[0].batch > 1;
    if (!joined) steps_a = steps_b = 0;
    return joined;
  });
  ASSERT_EQ(results.size(), 2u);
  for (const Measured& result : results) {
    EXPECT_TRUE(result.measured());
    EXPECT_EQ(result.samples.size(), 6u);
    EXPECT_EQ(result.rank_medians.size(), static_cast<std::size_t>(mpi::size(world())));
    EXPECT_LE(result.p5, result.median.value);
    EXPECT_GE(result.p95, result.median.value);
    std::vector<double> of_rank_0 = result.samples;
    HALOCLINE_MPI(MPI_Bcast, of_rank_0.data(), 6, MPI_DOUBLE, 0, world());
    EXPECT_EQ(of_rank_0, result.samples);
  }
  // Steps that count nothing are too short for the clock; those that stand alone are not joined.
  EXPECT_GT(results[0].batch, 1u);
  EXPECT_EQ(results[1].batch, 1u);
  EXPECT_GE(steps_a, 6 * results[0].batch);
  // One more before each, to warm the caches; and three to see how long they take.
  EXPECT_GE(steps_b, 2 * (3 + 6u));
  EXPECT_EQ(steps_b % 2, 0u);
}

TEST(Measurement, TakesTheLoopWithAndWithoutInEverySample) {
  std::size_t steps = 0;
  const Contender looping{
      .scheme = "loop", .parameters = {}, .make = [&]() -> std::unique_ptr<Work> {
        return std::make_unique<Looping>(steps, true);
      }};
  const auto results =
      measure({.title = "t", .contenders = {looping}}, six_samples,
              [](const auto& found) { return found[0].felt && found[0].felt->steps >= 8; });
  ASSERT_TRUE(results[0].felt.has_value());
  const Felt& felt = *results[0].felt;
  EXPECT_GE(felt.steps, 8u);
  ASSERT_EQ(felt.with.size(), 6u);
  ASSERT_EQ(felt.without.size(), 6u);
  std::vector<double> added;
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_GE(felt.with[i], 20e-6);
    EXPECT_GE(felt.without[i], 10e-6);
    added.push_back(felt.with[i] - felt.without[i]);
  }
  EXPECT_EQ(results[0].warm_up, 0u);
  EXPECT_EQ(felt.added.value, median(added).value);
  EXPECT_EQ(felt.added.low, *std::min_element(added.begin(), added.end()));
  EXPECT_EQ(felt.added.high, *std::max_element(added.begin(), added.end()));
}

TEST(Measurement, EndsWithTheBudget) {
  std::size_t steps = 0;
  Group group{.title = "endless", .contenders = {counting("a", steps)}};
  Measurement measurement(world(), {.width = 1e-9, .budget_s = 0, .least = 6, .most = 1'000'000});
  const auto results = measurement.run(group, 1);
  EXPECT_LE(results[0].samples.size(), 1u);
  EXPECT_FALSE(results[0].narrow);
}

TEST(Measurement, LeavesOutWhatCannotBeMade) {
  std::size_t steps = 0;
  const Contender impossible{.scheme = "no",
                             .parameters = {},
                             .make = []() -> std::unique_ptr<Work> { throw Error("not here"); }};
  Group group{.title = "one of two", .contenders = {impossible, counting("yes", steps)}};
  const auto results = Measurement(world(), six_samples).run(group, 1);
  EXPECT_EQ(results[0].left_out, "not here");
  EXPECT_FALSE(results[0].measured());
  EXPECT_EQ(results[1].samples.size(), 6u);
}

TEST(Measurement, RefusesWrongData) {
  std::size_t steps = 0;
  const bool last = mpi::rank(world()) == mpi::size(world()) - 1;
  Group group{.title = "wrong",
              .contenders = {counting("bad", steps, false, last ? "byte 3" : "")}};
  EXPECT_EQ(complaint([&] { Measurement(world(), six_samples).run(group, 1); }),
            "wrong: bad: byte 3");
}

/// A ring: an element to either side.
Pattern ring() {
  Pattern pattern;
  const int rank = mpi::rank(world()), size = mpi::size(world());
  if (size == 1) {
    pattern.copy({.offset = 0}, {.offset = 2});
    return pattern;
  }
  pattern.send((rank + 1) % size, {.offset = 0});
  pattern.receive((rank + size - 1) % size, {.offset = 2});
  pattern.send((rank + size - 1) % size, {.offset = 1});
  pattern.receive((rank + 1) % size, {.offset = 3});
  return pattern;
}

TEST(PatternField, NoticesWhatDoesNotArrive) {
  PatternField field(world(), ring(), 4, 8, "p2p:nonblocking");
  const auto in_halo = [&](std::size_t link, std::size_t e) { return field.in_halo(link, e); };
  Exchange exchange(field.pattern(), field.field(), "p2p:nonblocking");
  EXPECT_EQ(field.check([&] { exchange.run(); }, in_halo), "");
  // An exchange that does nothing from its second step on.
  int step = 0;
  const std::string wrong = field.check(
      [&] {
        if (++step < 2) exchange.run();
      },
      in_halo);
  EXPECT_NE(wrong, "");
  EXPECT_NE(wrong.find("rank " + std::to_string(mpi::rank(world()))), std::string::npos);
}

/// Each step writes half of what the other field held, in the mean, and 1: from zero 1, 1.5, 1.75.
TEST(Loop, ExchangesWhatItHasWritten) {
  for (const bool exchanging : {true, false}) {
    PatternField one(world(), ring(), 4, 8, "p2p:nonblocking");
    PatternField other(world(), ring(), 4, 8, "p2p:nonblocking");
    Exchange exchange_one(one.pattern(), one.field(), "p2p:nonblocking");
    Exchange exchange_other(other.pattern(), other.field(), "p2p:nonblocking");
    Loop loop({&one, &other}, Rewrite::sent,
              [&](std::size_t turn, std::size_t link, std::size_t b) {
                return (turn == 0 ? exchange_one : exchange_other).view(link, b);
              });
    const auto exchange = [&](std::size_t turn) {
      (turn == 0 ? exchange_one : exchange_other).run();
    };
    loop.run(3, exchanging ? std::function<void(std::size_t)>(exchange) : nullptr);
    // The third step has written the second field.
    const auto* const cells = static_cast<const double*>(other.field().data);
    constexpr double little = 1e-8;
    EXPECT_NEAR(cells[0], 1.75, little);
    EXPECT_NEAR(cells[2], exchanging ? 1.75 : 0, little);
    EXPECT_NEAR(static_cast<const double*>(one.field().data)[2], exchanging ? 1.5 : 0, little);
    // The halo is read: a little of it is in the cell beside it.
    if (mpi::size(world()) > 1) {
      EXPECT_EQ(cells[1] != 1.75, exchanging);
    }
  }
}

TEST(ExchangeWork, HasALoopThroughEveryFamily) {
  for (const char* scheme : {"p2p:nonblocking", "neighbor:nonblocking", "rma:put:pscw+alloc=create",
                             "shm:signal", "shm:signal+access=copy", "shm:signal+access=direct"}) {
    ExchangeWork work(world(), ring(), 4, scheme, {.in_loop = Rewrite::sent});
    ASSERT_TRUE(work.has_loop());
    EXPECT_EQ(work.check(), "") << scheme;
    work.loop(7, true);
    HALOCLINE_MPI(MPI_Barrier, world());
    work.loop(3, false);
    HALOCLINE_MPI(MPI_Barrier, world());
    EXPECT_EQ(work.check(), "") << scheme;
  }
  EXPECT_FALSE(ExchangeWork(world(), ring(), 4, "p2p:nonblocking", {}).has_loop());
}

TEST(ExchangeWork, ChecksEveryFamily) {
  for (const char* scheme : {"p2p:nonblocking", "neighbor:nonblocking", "rma:put:pscw+alloc=create",
                             "shm:signal", "shm:signal+access=direct"})
    for (const bool several : {false, true}) {
      ExchangeWork work(
          world(), ring(), 4, scheme,
          {.in_a_row = 2, .at_a_time = several ? 3 : 1, .element_bytes = several ? 1u : 8u});
      EXPECT_EQ(work.check(), "") << scheme;
      work.steps(3);
      EXPECT_EQ(work.check(), "") << scheme;
    }
}

TEST(Handwritten, LeavesTheBytesOfAnExchangeByLists) {
  const int me = mpi::rank(world()), n = mpi::size(world());
  Pattern pattern;  // every second element to the next rank
  for (std::ptrdiff_t i = 0; i < 20; ++i) {
    pattern.send((me + 1) % n, {.offset = 2 * i});
    pattern.receive((me + n - 1) % n, {.offset = 40 + 3 * i});
  }
  const auto work = make_handwritten_messages(world(), pattern, 100, Rewrite::sent, Rows{});
  EXPECT_EQ(work->check(), "");
  work->prepare();
  work->steps(5);
  EXPECT_EQ(work->check(), "");
}

TEST(Handwritten, LeavesTheBytesOfAnExchange) {
  for (const bool periodic : {false, true})
    for (int width : {1, 2, 3}) {
      const std::int64_t n = 6 * mpi::size(world());
      const Grid grid(world(), {n, 7, 9},
                      {.halo = width, .periodic = {periodic, periodic, periodic}});
      for (const auto make : {make_handwritten_messages, make_handwritten_copy}) {
        const auto work = make(world(), grid.halo(), grid.elements(), Rewrite::sent, Rows{});
        EXPECT_EQ(work->check(), "");
        work->prepare();
        work->steps(5);
        ASSERT_TRUE(work->has_loop());
        work->loop(5, true);
        EXPECT_EQ(work->check(), "");
      }
    }
}

}  // namespace
