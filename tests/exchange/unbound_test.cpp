// Exchanges that are given other arrays at each step, as they serve sums, patterns that change and
// two fields; and what is refused. That every scheme fills the halos of any array: halocheck
// --other-arrays.

#include "common/complaint.hpp"
#include "common/ranks.hpp"
#include "common/tested_schemes.hpp"

#include <halocline/exchange.hpp>
#include <halocline/more/tuner.hpp>

#include <gtest/gtest.h>
#include <memory>
#include <numeric>

using namespace halocline;

namespace {

int next() {
  return (me() + 1) % ranks();
}
int before() {
  return (me() + ranks() - 1) % ranks();
}

constexpr std::ptrdiff_t sent = 3, cells = 2 * sent;

/// The first cells go around a ring, or, scattered, every second one of them; they are received
/// behind.
Pattern ring(std::ptrdiff_t stride = 1) {
  Pattern pattern;
  for (std::ptrdiff_t i = 0; i < sent; i += stride) {
    pattern.send(next(), {.offset = i});
    pattern.receive(before(), {.offset = sent + i});
  }
  return pattern;
}

double value(int rank, int array, std::ptrdiff_t cell) {
  return 1000.0 * rank + 100.0 * array + static_cast<double>(cell);
}

std::vector<double> filled(int array) {
  std::vector<double> all(static_cast<std::size_t>(cells));
  for (std::ptrdiff_t i = 0; i < cells; ++i)
    all[static_cast<std::size_t>(i)] = value(me(), array, i);
  return all;
}

class Unbound : public testing::TestWithParam<std::string> {
 protected:
  Scheme scheme{GetParam()};
  bool alone = ranks() == 1;  // there is no ring
};

TEST_P(Unbound, AddsUpInAnyArray) {
  if (alone) GTEST_SKIP() << "needs two ranks";
  Exchange sums(ring(2).reversed(), unbound<double>(), scheme,
                {.combine = Combine::sum, .any_order = true});
  std::vector<std::unique_ptr<std::vector<double>>> kept;
  for (int array = 0; array < 3; ++array) {
    // Even ranks have an array for each, odd ones two at the same place in turn.
    auto x = std::make_unique<std::vector<double>>(filled(array));
    sums.run(field(x->data(), x->size()));
    for (std::ptrdiff_t i = 0; i < sent; ++i)
      EXPECT_EQ((*x)[static_cast<std::size_t>(i)],
                value(me(), array, i) + (i % 2 == 0 ? value(next(), array, sent + i) : 0));
    if (me() % 2 == 0) kept.push_back(std::move(x));
  }
}

TEST_P(Unbound, ChangesItsPattern) {
  if (alone) GTEST_SKIP() << "needs two ranks";
  Exchange halos(ring(), unbound<double>(), scheme, {.changes = true});
  for (int array = 0; array < 3; ++array) {
    const std::ptrdiff_t stride = array + 1;
    halos.change(ring(stride));
    std::vector<double> x = filled(array);
    halos.run(field(x.data(), x.size()));
    for (std::ptrdiff_t i = 0; i < sent; ++i)
      EXPECT_EQ(x[static_cast<std::size_t>(sent + i)],
                i % stride == 0 ? value(before(), array, i) : value(me(), array, sent + i));
  }
  EXPECT_NE(complaint([&] {
              halos.change(ring(), {field(std::vector<double>(6).data(), 6)});
            }).find("change the pattern alone"),
            std::string::npos);
}

TEST_P(Unbound, GoesFromSomeArraysIntoOthers) {
  if (alone) GTEST_SKIP() << "needs two ranks";
  Exchange halos(world(), ring(2), unbound<double>(), unbound<double>(), scheme);
  for (int array = 0; array < 3; ++array) {
    std::vector<double> from = filled(array), to = filled(7);
    halos.start({field(from.data(), from.size()), field(to.data(), to.size())});
    halos.finish();
    for (std::ptrdiff_t i = 0; i < sent; ++i)
      EXPECT_EQ(to[static_cast<std::size_t>(sent + i)],
                i % 2 == 0 ? value(before(), array, i) : value(me(), 7, sent + i));
    EXPECT_EQ(from, filled(array));
  }
}

TEST_P(Unbound, TakesPatternsAndFieldsOfSeveralParts) {
  if (alone) GTEST_SKIP() << "needs two ranks";
  // A part of numbers that follow each other, and one of every second number of an array.
  const auto second = [](std::vector<double>& x) { return field(x.data(), {cells}, {2}); };
  std::vector<double> like(2 * cells);
  Exchange halos(
      world(),
      std::vector<ExchangePart>{{ring(), {unbound<double>()}}, {ring(2), {unbound(second(like))}}},
      scheme);
  for (int array = 0; array < 3; ++array) {
    std::vector<double> x = filled(array), y(2 * cells);
    for (std::ptrdiff_t i = 0; i < cells; ++i)
      y[static_cast<std::size_t>(2 * i)] = value(me(), 10 + array, i);
    halos.run({field(x.data(), x.size()), second(y)});
    for (std::ptrdiff_t i = 0; i < sent; ++i) {
      EXPECT_EQ(x[static_cast<std::size_t>(sent + i)], value(before(), array, i));
      EXPECT_EQ(y[static_cast<std::size_t>(2 * (sent + i))],
                i % 2 == 0 ? value(before(), 10 + array, i) : value(me(), 10 + array, sent + i));
    }
  }
}

TEST_P(Unbound, TakesPartsAsTheyAreReady) {
  if (alone) GTEST_SKIP() << "needs two ranks";
  Exchange halos(ring(), unbound<double>(), scheme);
  for (int array = 0; array < 2; ++array) {
    std::vector<double> x = filled(array);
    const Field fields[] = {field(x.data(), x.size())};
    halos.open(fields);
    halos.ready(0, 0, 1);
    halos.ready(0, 1, 2);
    halos.finish();
    EXPECT_EQ(x.back(), value(before(), array, sent - 1));
  }
}

TEST_P(Unbound, EndsInTheMiddleOfAStep) {
  if (alone) GTEST_SKIP() << "needs two ranks";
  std::vector<double> x = filled(0);
  Exchange halos(ring(), unbound<double>(), scheme);
  halos.run(field(x.data(), x.size()));
  EXPECT_EQ(x.back(), value(before(), 0, sent - 1));
  if (!scheme.method().starts_with("rma:")) halos.start(field(x.data(), x.size()));
}

INSTANTIATE_TEST_SUITE_P(EveryScheme, Unbound, testing::ValuesIn(tested_schemes()), name_of_scheme);

TEST(UnboundAuto, MeasuresOnArraysOfItsOwn) {
  if (ranks() == 1) GTEST_SKIP() << "needs two ranks";
  Tuning::current().budget = 0.2;
  Exchange halos(ring(), unbound<double>(), "auto");
  EXPECT_NE(halos.scheme().method(), "auto");
  for (int array = 0; array < 3; ++array) {
    std::vector<double> x = filled(array);
    halos.run(field(x.data(), x.size()));
    EXPECT_EQ(x.back(), value(before(), array, sent - 1));
  }
}

TEST(UnboundRefuses, WhatDoesNotFit) {
  if (ranks() == 1) GTEST_SKIP() << "needs two ranks";
  std::vector<double> x = filled(0);
  std::vector<float> singles(6);
  const Field whole = field(x.data(), x.size());
  const auto says = [](const std::string& said, const char* words) {
    EXPECT_NE(said.find(words), std::string::npos) << said << "\n" << words;
  };
  for (const char* scheme : {"p2p:nonblocking", "p2p:persistent", "shm:signal+access=copy"}) {
    Exchange halos(ring(), unbound<double>(), scheme);
    says(complaint([&] { halos.start(); }), "give it fields at each step: start(field(x))");
    says(complaint([&] { halos.open(); }), "open(field(x))");
    says(complaint([&] { halos.run({whole, whole}); }), "there are 2 fields, but");
    says(complaint([&] { halos.run(field(singles.data(), 6)); }), "elements of 4 bytes");
    says(complaint([&] { halos.run(field(x.data(), 5)); }),
         "field 0 has 5 elements, but the pattern reaches to 6");
    says(complaint([&] { halos.run(field(static_cast<double*>(nullptr))); }), "null pointer");
    halos.start(whole);  // a refusal leaves the exchange as it was
    says(complaint([&] { halos.start(whole); }), "finish it first");
    halos.finish();
    EXPECT_EQ(x.back(), value(before(), 0, sent - 1));
  }
  Exchange two(ring(), {unbound<double>(), unbound<double>()}, "shm:signal");
  says(complaint([&] { two.run({whole, whole}); }), "fields 0 and 1 are one array");
  Exchange dense(ring(), unbound<double>(), "p2p:nonblocking");
  std::vector<double> wide(12);
  says(complaint([&] { dense.run(field(wide.data(), {6}, {2})); }), "other axes or strides");
  const std::vector<double> constant(6);
  says(complaint([&] { dense.run(field(constant.data(), 6)); }), "constant elements");
  Exchange bound(ring(), whole, "p2p:nonblocking");
  bound.run(whole);  // it lies where it lay
  says(complaint([&] { bound.run(field(wide.data(), 6)); }), "field 0 lies elsewhere than the one");
  Exchange sums(ring(), unbound<double>(), "shm:signal", {.combine = Combine::sum});
  std::vector<std::int64_t> integers(6);
  says(complaint([&] { sums.run(field(integers.data(), 6)); }),
       "type int64, but the exchange was made to combine float64");
}

TEST(UnboundRefuses, OnAllRanks) {
  if (ranks() == 1) GTEST_SKIP() << "needs two ranks";
  std::vector<double> x = filled(0);
  const Field whole = field(x.data(), x.size());
  for (const char* scheme : {"p2p:nonblocking", "rma:accumulate:fence"})
    for (const Combine combine : {Combine::replace, Combine::sum})
      EXPECT_NE(complaint([&] {
                  Exchange(ring(), me() == 0 ? whole : unbound<double>(), scheme,
                           {.combine = combine, .any_order = true});
                }).find("some fields are in memory and others are unbound<T>()"),
                std::string::npos);
  EXPECT_NE(complaint([&] {
              Exchange(ring(), {unbound<double>(), whole}, "p2p:nonblocking");
            }).find("give memory for all of them on all ranks, or for none"),
            std::string::npos);
}

}  // namespace
