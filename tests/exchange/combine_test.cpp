// What goes back to its owner and is combined there, and patterns that change: against sums made in
// the pattern's order by every rank that knows what all have.

#include "common/changing_graph.hpp"
#include "common/complaint.hpp"
#include "common/tested_schemes.hpp"

#include <halocline/exchange.hpp>
#include <halocline/more/tuner.hpp>
#include <halocline/more/waiting.hpp>

#include <gtest/gtest.h>
#include <chrono>
#include <cmath>
#include <complex>
#include <functional>
#include <optional>

using namespace halocline;

namespace {

constexpr std::size_t owned = 40;

std::vector<std::string> schemes() {
  std::vector<std::string> some = tested_schemes();
  for (const char* scheme :
       {"p2p:nonblocking+heads=2", "rma:accumulate:fence+heads=1", "rma:accumulate:flush+heads=2"})
    some.push_back(scheme);
  return some;
}

/// Whether the scheme leaves the order of sums to MPI.
bool any_order = false;

/// A value of such a size that the order of a sum shows in its bits, unless it may be any.
double value(std::size_t rank, std::size_t index, int step) {
  const std::uint64_t dice = mixed(rank, index, step);
  if (any_order) return static_cast<double>(dice >> 32);
  return std::ldexp(static_cast<double>(dice >> 12), static_cast<int>(dice % 40) - 60);
}

/// The cells of `to` that go to a cell of `from`, cell by cell of its halo.
std::vector<std::ptrdiff_t> list(unsigned seed, std::size_t owner, std::size_t holder,
                                 int version) {
  std::vector<std::ptrdiff_t> cells(mixed(seed, owner, holder, version) % 30);
  for (std::size_t i = 0; i < cells.size(); ++i)
    cells[i] = static_cast<std::ptrdiff_t>(mixed(seed, owner, holder, version, i) % owned);
  return cells;
}

/// Owned cells first, then the halos of the owners in order. `copies` cells of a rank's own come
/// last.
struct Cells {
  Cells(const Neighbourhood& near_, unsigned seed_, int version_)
      : near(near_), seed(seed_), version(version_) {
    std::ptrdiff_t next = owned;
    for (const int peer : near.targets()) {
      pattern.send_nothing(peer);
      for (const auto cell : list(seed, near.me, static_cast<std::size_t>(peer), version))
        pattern.send(peer, {.offset = cell});
    }
    for (const int peer : near.sources()) {
      pattern.receive_nothing(peer);
      begins.push_back(next);
      for (std::size_t i = list(seed, static_cast<std::size_t>(peer), near.me, version).size();
           i > 0; --i)
        pattern.receive(peer, {.offset = next++});
    }
    for (std::ptrdiff_t cell : {3, 5, 3}) pattern.copy({.offset = cell}, {.offset = next++});
    size = static_cast<std::size_t>(next);
  }

  /// What holder's halo of an owner holds before it goes back.
  static double in_halo(std::size_t owner, std::size_t holder, std::size_t i, int step) {
    return value(1000 * owner + holder, i, step);
  }

  void fill(std::vector<double>& cells, int step) const {
    cells.resize(size);
    for (std::size_t i = 0; i < owned; ++i) cells[i] = value(near.me, i, step);
    const auto sources = near.sources();
    for (std::size_t s = 0; s < sources.size(); ++s) {
      const auto owner = static_cast<std::size_t>(sources[s]);
      const std::size_t count = list(seed, owner, near.me, version).size();
      for (std::size_t i = 0; i < count; ++i)
        cells[static_cast<std::size_t>(begins[s]) + i] = in_halo(owner, near.me, i, step);
    }
    for (std::size_t i = 0; i < 3; ++i) cells[size - 3 + i] = value(77, i, step);
  }

  /// My own cells once everything has come back, in the pattern's order: mine first.
  template <class How>
  std::vector<double> combined(int step, How how) const {
    std::vector<double> cells(owned);
    for (std::size_t i = 0; i < owned; ++i) cells[i] = value(near.me, i, step);
    const std::size_t copied[] = {3, 5, 3};
    for (std::size_t i = 0; i < 3; ++i)
      cells[copied[i]] = how(cells[copied[i]], value(77, i, step));
    for (const int peer : near.targets()) {
      const auto holder = static_cast<std::size_t>(peer);
      const auto indices = list(seed, near.me, holder, version);
      for (std::size_t i = 0; i < indices.size(); ++i) {
        double& cell = cells[static_cast<std::size_t>(indices[i])];
        cell = how(cell, in_halo(near.me, holder, i, step));
      }
    }
    return cells;
  }

  void expect_halo(const std::vector<double>& cells, int step) const {
    const auto sources = near.sources();
    for (std::size_t s = 0; s < sources.size(); ++s) {
      const auto owner = static_cast<std::size_t>(sources[s]);
      const auto indices = list(seed, owner, near.me, version);
      for (std::size_t i = 0; i < indices.size(); ++i)
        ASSERT_EQ(cells[static_cast<std::size_t>(begins[s]) + i],
                  value(owner, static_cast<std::size_t>(indices[i]), step))
            << "cell " << i << " of rank " << owner << ", step " << step;
    }
    ASSERT_EQ(cells[size - 2], value(near.me, 5, step));
  }

  const Neighbourhood& near;
  unsigned seed;
  int version;
  Pattern pattern;
  std::vector<std::ptrdiff_t> begins;
  std::size_t size = 0;
};

double sum(double a, double b) {
  return a + b;
}

std::vector<double> mine(const std::vector<double>& cells) {
  return {cells.begin(), cells.begin() + owned};
}

}  // namespace

class Combining : public testing::TestWithParam<std::string> {
 protected:
  ~Combining() override { any_order = false; }
};

TEST_P(Combining, AddsInThePatternsOrder) {
  any_order = GetParam().starts_with("rma:accumulate");
  const bool slow = mpi::size(world()) > 2;
  for (unsigned seed = 1; seed <= (slow ? 1U : 3U); ++seed) {
    SCOPED_TRACE(GetParam() + ", seed " + std::to_string(seed));
    inject_delays(std::chrono::microseconds(seed == 1 ? 100 : 0),
                  seed + static_cast<unsigned>(mpi::rank(world())));
    const Neighbourhood near(seed);
    const Cells part(near, seed, 0);
    std::vector<double> cells;
    part.fill(cells, 0);
    Exchange back(part.pattern.reversed(), field(cells.data(), cells.size()), GetParam(),
                  {.combine = Combine::sum, .any_order = any_order});
    for (int step = 0; step < (slow ? 3 : 8); ++step) {
      part.fill(cells, step);
      back.start();
      back.finish();
      ASSERT_EQ(mine(cells), part.combined(step, sum)) << "step " << step;
    }
  }
  inject_delays(std::chrono::microseconds(0), 1);
}

TEST_P(Combining, AddsIntoCellsThatLeave) {
  // In place: every rank has all ranks' sum at last.
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  constexpr std::size_t count = 1000;
  std::vector<double> all(count);
  Pattern pattern;
  for (int other = 0; other < ranks; ++other)
    if (other != me) {
      pattern.send(other, {.offset = 0, .count = {1, 1, count}});
      pattern.receive(other, {.offset = 0, .count = {1, 1, count}});
    }
  const ExchangeOptions add{.combine = Combine::sum, .any_order = true};
  const auto make = [&] { return Exchange(pattern, field(all.data(), count), GetParam(), add); };
  if (ranks > 1 && GetParam().starts_with("rma:accumulate") &&
      GetParam().find("heads") != std::string::npos) {
    EXPECT_THROW(make(), Error);
    return;
  }
  inject_delays(std::chrono::microseconds(300), 1 + static_cast<unsigned>(me));
  Exchange exchange = make();
  int wrong = 0;
  for (int step = 0; step < (ranks > 2 ? 5 : 20); ++step) {
    std::fill(all.begin(), all.end(), static_cast<double>(1 << me) + step);
    exchange.run();
    for (const double value : all) wrong += value != (1 << ranks) - 1 + step * ranks;
  }
  inject_delays(std::chrono::microseconds(0), 1);
  EXPECT_EQ(wrong, 0) << GetParam();
}

TEST_P(Combining, AddsIntoSomeCellsThatLeaveAndAreCopied) {
  // Each rank sends its cells 0 to 9 to the next one's 0 to 9, backwards, and copies 0 to 4 to 5
  // to 9.
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  const auto is_refused = [&](const Pattern& pattern, std::vector<double>& cells) {
    const bool heads = GetParam().find("heads") != std::string::npos;
    if (ranks == 1 || !GetParam().starts_with("rma:accumulate") || !heads) return false;
    EXPECT_THROW(Exchange(pattern, field(cells.data()), GetParam(),
                          {.combine = Combine::sum, .any_order = true}),
                 Error);
    return true;
  };
  std::vector<double> cells(10);
  Pattern pattern;
  for (int i = 0; i < 10; ++i) {
    if (ranks > 1) pattern.send((me + 1) % ranks, {.offset = i});
    if (ranks > 1) pattern.receive((me + ranks - 1) % ranks, {.offset = 9 - i});
  }
  for (int i = 0; i < 5; ++i) pattern.copy({.offset = i}, {.offset = 5 + i});
  if (is_refused(pattern, cells)) return;
  inject_delays(std::chrono::microseconds(300), 1 + static_cast<unsigned>(me));
  Exchange exchange(pattern, field(cells.data(), cells.size()), GetParam(),
                    {.combine = Combine::sum, .any_order = true});
  const auto before = [](int rank, int i, int step) { return 100.0 * rank + i + 1000.0 * step; };
  int wrong = 0;
  for (int step = 0; step < (ranks > 2 ? 5 : 20); ++step) {
    for (int i = 0; i < 10; ++i) cells[static_cast<std::size_t>(i)] = before(me, i, step);
    exchange.run();
    for (int i = 0; i < 10; ++i) {
      double expected = before(me, i, step);
      if (i >= 5) expected += before(me, i - 5, step);
      if (ranks > 1) expected += before((me + ranks - 1) % ranks, 9 - i, step);
      wrong += cells[static_cast<std::size_t>(i)] != expected;
    }
  }
  inject_delays(std::chrono::microseconds(0), 1);
  EXPECT_EQ(wrong, 0) << GetParam();
}

TEST_P(Combining, CallsAFunctionOfTheCallers) {
  // The larger mass wins, with all that belongs to it.
  struct Star {
    double mass;
    int number;
    int rank;
    Star operator+(const Star& other) const {
      return {mass + other.mass, number + other.number, rank};
    }
  };
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  std::vector<Star> stars(6);
  Pattern pattern;
  if (ranks > 1)
    for (const std::ptrdiff_t i : {2, 0, 1}) {
      pattern.send((me + 1) % ranks, {.offset = i});
      pattern.receive((me + ranks - 1) % ranks, {.offset = 3 + i});
    }
  pattern.copy({.offset = 0}, {.offset = 5});
  const auto heavier =
      Combine::of<Star>([](const Star& a, const Star& b) { return a.mass < b.mass ? b : a; });
  const auto make = [&](const Combine& how) {
    return Exchange(pattern, field(stars.data(), stars.size()), GetParam(), {.combine = how});
  };
  if (GetParam().starts_with("rma:accumulate")) {
    const std::string said = complaint([&] { make(heavier); });
    EXPECT_NE(said.find("use another scheme, such as rma:put:"), said.npos) << said;
    return;
  }
  Exchange largest = make(heavier), sums = make(Combine::of<Star>());
  for (int step = 0; step < 3; ++step) {
    const auto mass = [&](int rank, int i) {
      return static_cast<double>((7 * rank + 5 * i + step) % 11);
    };
    const auto fill = [&] {
      for (int i = 0; i < 6; ++i)
        stars[static_cast<std::size_t>(i)] = {mass(me, i), 10 * me + i, me};
    };
    const int from = (me + ranks - 1) % ranks;
    const auto expected = [&](auto how) {
      std::vector<Star> all = stars;
      all[5] = how(all[5], all[0]);
      if (ranks > 1)
        for (const int i : {2, 0, 1}) {
          Star& here = all[static_cast<std::size_t>(3 + i)];
          here = how(here, Star{mass(from, i), 10 * from + i, from});
        }
      return all;
    };
    const auto expect = [&](Exchange& exchange, auto how) {
      fill();
      const auto all = expected(how);
      exchange.run();
      for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_EQ(stars[i].mass, all[i].mass) << "star " << i << ", step " << step;
        EXPECT_EQ(stars[i].number, all[i].number) << "star " << i << ", step " << step;
      }
    };
    expect(largest, [](const Star& a, const Star& b) { return a.mass < b.mass ? b : a; });
    expect(sums, std::plus<>());
  }
}

TEST_P(Combining, FollowsAPatternThatChanges) {
  SCOPED_TRACE(GetParam());
  const unsigned seed = 5;
  const Neighbourhood near(seed);
  std::vector<double> cells(4 * owned);
  Cells part(near, seed, 0);
  // Little room, so that it has to grow; ranks may expect different numbers.
  const ExchangeOptions there{.changes = true,
                              .capacity = 2 + 3 * static_cast<std::size_t>(mpi::rank(world()))};
  ExchangeOptions back = there;
  back.combine = Combine::sum;
  cells.reserve(owned + 30 * near.ranks + 3);
  part.fill(cells, 0);
  Exchange halo(part.pattern, field(cells.data()), GetParam(), there);
  Exchange reverse(part.pattern.reversed(), field(cells.data()), GetParam(), back);
  const int versions = mpi::size(world()) > 2 ? 3 : 20;
  for (int version = 1; version <= versions; ++version) {
    Cells next(near, seed, version);
    next.fill(cells, version);
    halo.change(next.pattern);
    reverse.change(next.pattern.reversed());
    for (int step = version; step < version + 3; ++step) {
      next.fill(cells, step);
      reverse.run();
      ASSERT_EQ(mine(cells), next.combined(step, sum)) << "step " << step;
      next.fill(cells, step);
      halo.run();
      next.expect_halo(cells, step);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, Combining, testing::ValuesIn(schemes()), name_of_scheme);

// MPI adds to cells that the rank sends in the same step, which it may send late: what leaves is
// what was there when the step began, with every option and in any memory.
TEST(Combine, AccumulatesIntoCellsThatLeaveLate) {
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  constexpr std::ptrdiff_t count = 6;
  Pattern pattern;
  for (int other = 0; other < ranks; ++other)
    if (other != me) {
      pattern.send(other, {.offset = 0, .count = {1, 1, count}});
      pattern.receive(other, {.offset = 0, .count = {1, 1, count}});
    }
  for (std::ptrdiff_t i = 0; i < count; i += 2) pattern.copy({.offset = i}, {.offset = i + 1});
  const auto before = [](int rank, std::ptrdiff_t i, int step) {
    return static_cast<double>((1 << (4 * rank)) + 100000 * i + step);
  };
  inject_delays(std::chrono::microseconds(100), 1 + static_cast<unsigned>(me));
  for (const std::string& name : without_broken(scheme_combinations())) {
    // Heads refuse such a pattern.
    if (!name.starts_with("rma:accumulate") || !Scheme(name).is("heads", "off")) continue;
    Array<double> array(world(), count, name);
    std::vector<double> own(count);
    for (const Field& each : {Field(array), field(own.data(), own.size())}) {
      Exchange exchange(pattern, each, name, {.combine = Combine::sum, .any_order = true});
      const bool reached = each.memory.data() != nullptr || ranks == 1;
      EXPECT_EQ(exchange.memory_hint().empty(), reached) << name << ": " << exchange.memory_hint();
      auto* const cells = static_cast<double*>(each.data);
      for (int step = 0; step < 2; ++step) {
        for (std::ptrdiff_t i = 0; i < count; ++i) cells[i] = before(me, i, step);
        exchange.run();
        for (std::ptrdiff_t i = 0; i < count; ++i) {
          double sum = i % 2 == 0 ? 0 : before(me, i - 1, step);
          for (int rank = 0; rank < ranks; ++rank) sum += before(rank, i, step);
          ASSERT_EQ(cells[i], sum) << name << ", step " << step << ", cell " << i;
        }
      }
    }
  }
  inject_delays(std::chrono::microseconds(0), 1);
}

// To read in place is a wish that nothing comes of where what arrives is combined.
TEST(Combine, FillsTheReceiverWhateverTheScheme) {
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  if (ranks == 1) GTEST_SKIP() << "needs two ranks";
  Pattern ring;
  ring.send((me + 1) % ranks, {.offset = 0, .count = {1, 1, 4}});
  ring.receive((me + ranks - 1) % ranks, {.offset = 4, .count = {1, 1, 4}});
  for (const char* name : {"shm:signal+access=direct", "shm:fence+access=direct"}) {
    Array<double> cells(world(), 8, name);
    Exchange exchange(ring, cells, name, {.combine = Combine::sum, .halos = Halos::in_place});
    for (int step = 0; step < 3; ++step) {
      for (std::size_t i = 0; i < 8; ++i) cells[i] = 10 * me + step;
      exchange.run();
      for (std::size_t i = 4; i < 8; ++i)
        EXPECT_EQ(cells[i], 10 * me + 10 * ((me + ranks - 1) % ranks) + 2 * step) << name;
    }
  }
}

TEST(Combine, KnowsLeastAndGreatest) {
  const Neighbourhood near(2);
  const Cells part(near, 2, 0);
  std::vector<double> cells;
  part.fill(cells, 1);
  const Pattern back = part.pattern.reversed();
  Exchange least(back, field(cells.data()), "p2p:nonblocking", {.combine = Combine::min});
  least.run();
  EXPECT_EQ(mine(cells), part.combined(1, [](double a, double b) { return std::min(a, b); }));
  part.fill(cells, 2);
  Exchange greatest(back, field(cells.data()), "shm:signal", {.combine = Combine::max});
  greatest.run();
  const auto larger = [](double a, double b) { return std::max(a, b); };
  EXPECT_EQ(mine(cells), part.combined(2, larger));
  part.fill(cells, 3);
  Exchange in_place(back, field(cells.data()), "rma:accumulate:fence",
                    {.combine = Combine::max, .any_order = true});
  in_place.run();
  EXPECT_EQ(mine(cells), part.combined(3, larger));
}

TEST(Combine, WorksThroughAuto) {
  const QuickTuning quick;
  const Neighbourhood near(3);
  const Cells part(near, 3, 0);
  std::vector<double> cells;
  part.fill(cells, 1);
  Exchange back(part.pattern.reversed(), field(cells.data()), "auto", {.combine = Combine::sum});
  EXPECT_NE(back.scheme().str(), "auto");
  for (int step = 0; step < 4; ++step) {
    part.fill(cells, step);
    back.run();
    EXPECT_EQ(mine(cells), part.combined(step, sum));
  }
}

TEST(Combine, TakesNumbersOfAllKinds) {
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  if (ranks < 2) GTEST_SKIP() << "needs two ranks";
  Pattern ring;
  ring.send((me + 1) % ranks, {.offset = 0});
  ring.receive((me + ranks - 1) % ranks, {.offset = 1});
  const auto check_by = [&](const char* scheme, auto zero) {
    using T = decltype(zero);
    std::vector<std::array<T, 3>> cells{{T(1), T(2), T(3)}, {T(10), T(20), T(30)}};
    Exchange back(ring.reversed(), field(cells.data(), 2), scheme,
                  {.combine = Combine::sum, .any_order = true});
    back.run();
    EXPECT_EQ(cells[0], (std::array<T, 3>{T(11), T(22), T(33)}));
  };
  const auto check = [&](auto zero) {
    check_by("p2p:nonblocking", zero);
    check_by("rma:accumulate:pscw", zero);
  };
  check(float{});
  check(double{});
  check(std::int32_t{});
  check(std::int64_t{});
  check(std::uint32_t{});
  check(std::uint64_t{});
  check(0.0L);
  check(std::complex<float>{});
  check(std::complex<double>{});
#ifdef HALOCLINE_HAS_FLOAT16
  check_by("p2p:nonblocking", _Float16{});
#endif
  for (const char* scheme : {"p2p:nonblocking", "shm:signal", "rma:accumulate:pscw"})
    for (const auto how : {Combine::sum, Combine::min, Combine::max}) {
      std::array<std::array<bool, 4>, 2> cells{
          {{false, true, false, true}, {false, false, true, true}}};
      Exchange back(ring.reversed(), field(cells.data(), 2), scheme, {.combine = how});
      back.run();
      const bool either = how != Combine::min;
      EXPECT_EQ(cells[0], (std::array<bool, 4>{false, either, either, true})) << scheme;
    }
}

TEST(Combine, SaysWhatItCannotCombine) {
  Pattern pattern;
  pattern.copy({.offset = 0}, {.offset = 1});
  const auto expect = [&](auto number, const Combine& how, const std::string& scheme,
                          const char* part) {
    std::vector<std::array<decltype(number), 1>> cells(2);
    const std::string said = complaint(
        [&] { Exchange exchange(pattern, field(cells.data(), 2), scheme, {.combine = how}); });
    EXPECT_NE(said.find(part), said.npos) << scheme << ": " << said;
  };
  expect(std::complex<double>(), Combine::min, "p2p:nonblocking",
         "is of complex128, which combine=min cannot work on");
  expect(float(), Combine::of<double>(), "p2p:nonblocking",
         "is of float32, but its elements are to be combined by a function of float64");
  expect(char(), Combine::of<std::array<char, 3>>([](auto a, auto) { return a; }),
         "p2p:nonblocking",
         "has elements of 1 bytes, but the function that they are to be combined by takes 3");
  expect(double(), Combine::of<double>(), "rma:accumulate:fence",
         "MPI combines, and knows no functions of the caller's; use another scheme, such as "
         "rma:put:fence");
#ifdef HALOCLINE_HAS_FLOAT16
  expect(_Float16(), Combine::sum, "rma:accumulate:flush",
         "MPI combines, and has no type for float16");
#endif
}

// Sums have the same bits whatever the string, unless the caller says that their order is free.
TEST(Combine, LeavesNoOrderToMpiUnasked) {
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  Pattern pattern;
  if (ranks == 1) {
    pattern.copy({.offset = 0}, {.offset = 1});
  } else {
    pattern.send((me + 1) % ranks, {.offset = 0});
    pattern.receive((me + ranks - 1) % ranks, {.offset = 1});
  }
  const auto said = [&](const Field& cells, Combine how, bool any) {
    return complaint([&] {
      Exchange(pattern, cells, "rma:accumulate:fence", {.combine = how, .any_order = any});
    });
  };
  Array<double> numbers(world(), 2);
  std::vector<double> own(2);
  std::vector<std::int32_t> integers(2);
  for (const auto how : {Combine::sum, Combine::min, Combine::max}) {
    for (const Field& cells : {Field(numbers), field(own.data(), 2)}) {
      EXPECT_EQ(said(cells, how, true), "");
      EXPECT_EQ(said(cells, how, false),
                "rma:accumulate:fence: MPI combines what arrives in an order of its own, so that "
                "float64 gets other last digits in each run; take rma:put:fence, which combines in "
                "the pattern's order, or say that any order will do (ExchangeOptions::any_order)");
    }
    EXPECT_EQ(said(field(integers.data(), 2), how, false), "");
  }
  EXPECT_EQ(said(numbers, Combine::replace, false), "");
}

class Shifted : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Schemes, Shifted, testing::ValuesIn(tested_schemes()), name_of_scheme);

TEST_P(Shifted, PositionsComeOverTheEdge) {
  // Particles of a ring of ranks, whose box ends at its last one; every second one is sent.
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  constexpr std::size_t owned = 20, sent = owned / 2;
  using Position = std::array<double, 3>;
  std::vector<Position> positions(owned + 2 * sent);
  std::vector<float> ages(owned + 2 * sent);
  const double length = 10.0 * ranks;
  Pattern pattern;
  const auto there = [&](int to, int from, std::ptrdiff_t halo, double shift) {
    std::vector<std::ptrdiff_t> even(sent), landing(sent);
    for (std::size_t i = 0; i < sent; ++i) {
      even[i] = static_cast<std::ptrdiff_t>(2 * i);
      landing[i] = halo + static_cast<std::ptrdiff_t>(i);
    }
    if (to == me) return pattern.copy(even, landing, {shift, 0, 0, 0.5});
    pattern.send(to, even);
    const Block block{.offset = halo, .count = {1, 1, sent}};
    if (shift == 0)
      pattern.receive(from, block);
    else
      pattern.receive(from, block, {shift, 0, 0, 0.5});
  };
  there((me + 1) % ranks, (me + ranks - 1) % ranks, owned, me == 0 ? -length : 0);
  there((me + ranks - 1) % ranks, (me + 1) % ranks, owned + sent, me == ranks - 1 ? length : 0);
  const auto position = [](int rank, std::size_t i, int step) {
    return Position{10.0 * rank + 0.3 * static_cast<double>(i) + step, 0.1 * static_cast<double>(i),
                    -1.0};
  };
  std::optional<Exchange> fixed, changing;
  const std::vector<Field> fields{field(positions.data(), positions.size()),
                                  field(ages.data(), ages.size())};
  fixed.emplace(world(), pattern, fields, GetParam());
  changing.emplace(world(), pattern, fields, GetParam(), ExchangeOptions{.changes = true});
  for (int step = 0; step < 6; ++step) {
    for (std::size_t i = 0; i < owned; ++i)
      positions[i] = position(me, i, step), ages[i] = static_cast<float>(me + step);
    if (step == 3) changing->change(pattern);
    (step % 2 == 0 ? *fixed : *changing).run();
    const auto expect = [&](int from, std::size_t halo, double shift) {
      for (std::size_t i = 0; i < sent; ++i) {
        Position expected = position(from, 2 * i, step);
        expected[0] += shift;
        ASSERT_EQ(positions[halo + i], expected) << GetParam() << " " << i << ", step " << step;
        // Where all is copied, shifts of nothing are shifts, too.
        const bool shifted = shift != 0 || from == me;
        ASSERT_EQ(ages[halo + i], static_cast<float>(from + step) + (shifted ? 0.5F : 0.F));
      }
    };
    expect((me + ranks - 1) % ranks, owned, me == 0 ? -length : 0);
    expect((me + 1) % ranks, owned + sent, me == ranks - 1 ? length : 0);
  }
}

TEST(Shifts, SayWhatTheyNeed) {
  std::vector<double> cells(4);
  std::vector<int> numbers(4);
  Pattern pattern;
  pattern.copy({.offset = 0}, {.offset = 1}, {1.0});
  const auto refusal = [&](const Pattern& of, const Field& in, const ExchangeOptions& options) {
    return complaint([&] { Exchange exchange(of, in, "p2p:nonblocking", options); });
  };
  const Field doubles = field(cells.data(), 4);
  EXPECT_EQ(refusal(pattern, doubles, {}), "");
  EXPECT_NE(refusal(pattern, field(numbers.data(), 4), {})
                .find("float32 or float64, but one is of int32"),
            std::string::npos);
  EXPECT_NE(refusal(pattern, doubles, {.combine = Combine::sum}).find("nothing is combined"),
            std::string::npos);
  EXPECT_NE(refusal(pattern, doubles, {.halos = Halos::in_place}).find("read in place"),
            std::string::npos);
  pattern.copy({.offset = 2}, {.offset = 3}, {1.0, 2.0});
  EXPECT_NE(refusal(pattern, doubles, {}).find("a shift has 2 numbers, but"), std::string::npos);
}

TEST(Changing, LandsInTheOrderOfThePattern) {
  // Cells that leave may be received, and the last of two messages into a cell stays: local copies
  // come first, then links in the pattern's order.
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  if (ranks < 3) GTEST_SKIP() << "needs three ranks";
  const int next = (me + 1) % ranks, last = (me + ranks - 1) % ranks;
  for (const std::string scheme : {"p2p:nonblocking", "shm:signal", "rma:put:flush"}) {
    std::vector<double> cells(3);
    for (const bool forth : {true, false}) {
      Pattern pattern;
      for (const int peer : forth ? std::vector{next, last} : std::vector{last, next}) {
        pattern.send(peer, {.offset = 0});
        pattern.receive(peer, {.offset = 0});
      }
      pattern.copy({.offset = 0}, {.offset = 1});
      pattern.copy({.offset = 1}, {.offset = 2});
      Exchange both(pattern, field(cells.data(), 3), scheme, {.changes = true});
      for (int step = 0; step < 3; ++step) {
        cells = {1.0 + me, 20.0, 30.0};
        both.run();
        EXPECT_EQ(cells, (std::vector<double>{1.0 + (forth ? last : next), 1.0 + me, 20.0}))
            << scheme;
      }
    }
  }
}

TEST(Combine, NamesTheEndsThatHoldOtherNumbers) {
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  if (ranks < 2) GTEST_SKIP() << "needs two ranks";
  Pattern ring;
  ring.send((me + 1) % ranks, {.offset = 0});
  ring.receive((me + ranks - 1) % ranks, {.offset = 1});
  std::vector<double> masses(2), wrong(2);
  std::vector<std::int64_t> counts(2);
  // Rank 0 has mistaken its second field.
  const std::vector<Field> fields{field(masses.data(), 2),
                                  me == 0 ? field(wrong.data(), 2) : field(counts.data(), 2)};
  for (const char* scheme : {"p2p:nonblocking", "rma:accumulate:fence"}) {
    const std::string said = complaint([&] {
      Exchange back(ring.reversed(), fields, scheme, {.combine = Combine::sum, .any_order = true});
    });
    for (const char* words : {"field 1 as ", "float64", "int64"})
      EXPECT_NE(said.find(words), said.npos) << said;
  }
}

TEST(Replacing, LandsOnceInACell) {
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  std::vector<double> cells(20);
  const auto refusal = [&](const Pattern& pattern, const std::string& scheme) {
    return complaint(
        [&] { Exchange exchange(pattern, field(cells.data(), cells.size()), scheme); });
  };
  Pattern copies;
  copies.copy({.offset = 0, .count = {1, 1, 3}}, {.offset = 2, .count = {1, 1, 3}});
  Pattern twice, through;
  if (ranks > 1) {
    // Two messages from one rank, or from several, come to one cell; or it is sent as well.
    if (me == 1) {
      twice.send(0, {.offset = 0, .count = {1, 1, 4}});
      twice.send(0, {.offset = 8, .count = {1, 1, 2}});
      through.send(0, {.offset = 0, .count = {1, 1, 2}});
      through.receive(0, {.offset = 6, .count = {1, 1, 2}});
    } else if (me == 0) {
      twice.receive(1, {.offset = 4, .count = {1, 2, 2}, .stride = {0, 5}});
      twice.receive(1, {.offset = 10, .count = {1, 1, 2}});
      through.receive(1, {.offset = 3, .count = {1, 1, 2}});
      through.send(1, {.offset = 4, .count = {1, 1, 2}});
    }
  }
  for (const std::string scheme : {"p2p:nonblocking", "rma:put:flush", "shm:signal", "auto"}) {
    EXPECT_NE(refusal(copies, scheme).find("element 2 is sent to a local copy"), std::string::npos);
    if (ranks == 1) continue;
    EXPECT_EQ(refusal(twice, scheme)
                  .rfind("exchange: rank 0: element 10 is received from rank 1 and from rank 1", 0),
              0u)
        << refusal(twice, scheme);
    EXPECT_EQ(
        refusal(through, scheme)
            .rfind("exchange: rank 0: element 4 is sent to rank 1 and received from rank 1", 0),
        0u)
        << refusal(through, scheme);
  }
}

TEST(Combine, SaysWhatIsWrong) {
  struct Opaque {
    char bytes[12];
  };
  std::vector<Opaque> opaque(2);
  Pattern pattern;
  pattern.copy({.offset = 0}, {.offset = 1});
  EXPECT_THROW(
      Exchange(pattern, field(opaque.data()), "p2p:nonblocking", {.combine = Combine::sum}), Error);

  std::vector<double> cells(4);
  Exchange fixed(pattern, field(cells.data()), "p2p:nonblocking");
  EXPECT_THROW(fixed.change(pattern), Error);

  const int me = mpi::rank(world()), ranks = mpi::size(world());
  if (ranks < 2) return;
  Pattern ring;
  ring.send((me + 1) % ranks, {.offset = 0});
  ring.receive((me + ranks - 1) % ranks, {.offset = 1});
  Pattern empty = ring;
  if (ranks > 2) {
    empty.send_nothing((me + 2) % ranks);
    EXPECT_THROW(Exchange(empty, field(cells.data()), "p2p:nonblocking"), Error);
    Exchange changing(ring, field(cells.data()), "p2p:nonblocking", {.changes = true});
    Pattern other;
    other.send((me + 2) % ranks, {.offset = 0});
    EXPECT_THROW(changing.change(other), Error);
  }
  // One end of each link has changed, the other has not.
  Exchange changing(ring, field(cells.data()), "p2p:nonblocking", {.changes = true});
  Pattern longer = ring;
  longer.send((me + 1) % ranks, {.offset = 2});
  changing.change(longer);
  EXPECT_THROW(changing.run(), Error);
}

TEST(OneWay, DoesNotWaitForAReaderInTheSameStep) {
  // Else ranks that outnumber cores wait for each other's turns, all around a ring.
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  if (ranks < 2) GTEST_SKIP() << "needs two ranks";
  for (const std::string scheme : {"p2p:nonblocking", "shm:signal"}) {
    std::vector<double> cells(400);
    const Block sent{.offset = 0, .count = {1, 1, 200}}, halo{.offset = 200, .count = {1, 1, 200}};
    Exchange down(Pattern::shift(me + 1 < ranks ? me + 1 : -1, sent, me - 1, halo),
                  field(cells.data(), cells.size()), scheme);
    for (int step = 0; step < 5; ++step) {
      for (std::size_t i = 0; i < 200; ++i) cells[i] = 100.0 * me + step;
      down.start();
      // The reader comes when the sender has finished.
      if (me > 0)
        HALOCLINE_MPI(MPI_Recv, nullptr, 0, MPI_BYTE, me - 1, 1, world(), MPI_STATUS_IGNORE);
      down.finish();
      if (me + 1 < ranks) HALOCLINE_MPI(MPI_Send, nullptr, 0, MPI_BYTE, me + 1, 1, world());
      for (std::size_t i = 0; i < 200; ++i) cells[i] = -1;
      if (me > 0) {
        ASSERT_EQ(cells[200], 100.0 * (me - 1) + step) << scheme;
        ASSERT_EQ(cells[399], 100.0 * (me - 1) + step) << scheme;
      }
    }
  }
}

TEST(Changing, NamesTheMessageThatIsNotAsLongAsExpected) {
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  if (ranks < 2) GTEST_SKIP() << "needs two ranks";
  const int next = (me + 1) % ranks, last = (me + ranks - 1) % ranks;
  for (const std::string scheme : {"p2p:nonblocking", "p2p:sendrecv", "shm:signal"})
    for (const bool longer : {true, false}) {
      std::vector<double> cells(8);
      Pattern ring;
      ring.send(next, {.offset = 0, .count = {1, 1, 2}});
      ring.receive(last, {.offset = 4, .count = {1, 1, 2}});
      Exchange exchange(ring, field(cells.data(), 8), scheme, {.changes = true, .capacity = 4});
      for (int step = 0; step < 3; ++step) exchange.run();
      Pattern other;
      other.send(next, {.offset = 0, .count = {1, 1, longer ? 3U : 1U}});
      other.receive(last, {.offset = 4, .count = {1, 1, 2}});
      exchange.change(other);
      const std::string said = complaint([&] { exchange.run(); });
      EXPECT_NE(said.find("expect"), said.npos) << scheme << ": " << said;
      EXPECT_NE(said.find("both ends of a link must change together"), said.npos) << said;
      EXPECT_EQ(cells[6], 0.0) << scheme;  // and nothing lands beyond
      HALOCLINE_MPI(MPI_Barrier, world());
    }
}

TEST(Changing, ReceivesInPlaceWhatLiesApart) {
  // In one piece or in several, before its pattern is laid out and after, moved, and beside cells
  // that are sent.
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  const int next = (me + 1) % ranks, last = (me + ranks - 1) % ranks;
  if (ranks < 2) GTEST_SKIP() << "needs two ranks";
  for (const std::string scheme : {"p2p:nonblocking", "p2p:persistent", "shm:signal"}) {
    std::vector<double> cells(4000), others(4000);
    Pattern peers;
    peers.send_nothing(next), peers.receive_nothing(last);
    Exchange changing(world(), peers, unbound<double>(), scheme, {.changes = true, .capacity = 8});
    const auto expect = [&](std::size_t count, std::size_t stride, std::size_t to) {
      std::vector<std::size_t> sent(count), received(count);
      for (std::size_t i = 0; i < count; ++i) sent[i] = 3 + stride * i, received[i] = to + i;
      Pattern pattern;
      pattern.send(next, sent);
      pattern.receive(last, received);
      changing.change(pattern);
      for (int step = 0; step < 4; ++step) {
        std::vector<double>& now = step % 2 == 0 ? cells : others;
        const auto value = [&](int rank, std::size_t i) {
          return 1e6 * rank + 1e4 * step + static_cast<double>(i);
        };
        for (std::size_t i = 0; i < now.size(); ++i) now[i] = value(me, i);
        changing.run(field(now.data(), now.size()));
        for (std::size_t i = 0; i < now.size(); ++i) {
          const bool halo = i >= to && i < to + count;
          ASSERT_EQ(now[i], halo ? value(last, sent[i - to]) : value(me, i))
              << scheme << ", step " << step << ", cell " << i << " of " << count;
        }
      }
    };
    expect(5, 1, 100);     // in one piece at both ends
    expect(900, 3, 3000);  // longer than what there was room for
    expect(300, 2, 3000);
    expect(0, 1, 10);
    expect(200, 1, 10);  // sent from where it is received
  }
}
