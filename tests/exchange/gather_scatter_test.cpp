// Sums over all copies of shared nodes, against sums made by every rank from what all have.

#include "common/complaint.hpp"
#include "common/ranks.hpp"

#include "common/changing_graph.hpp"

#include <halocline/gather_scatter.hpp>
#include <halocline/more/tuner.hpp>

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>

using namespace halocline;

namespace {

/// A copy's value, such that the order of a sum shows in its bits.
template <class T>
T value(int rank, std::size_t place, int step) {
  const std::uint64_t dice = mixed(static_cast<std::size_t>(rank), place, step);
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(dice >> 20);
  else
    return static_cast<T>(
        std::ldexp(static_cast<double>(dice >> 12), static_cast<int>(dice % 40) - 60));
}

/// The numbers of a rank's elements, which every rank knows.
using Numbering = std::function<std::vector<std::int64_t>(int rank)>;

/// Some nodes many times, some never, with gaps; the last rank of many has nothing.
std::vector<std::int64_t> at_random(unsigned seed, int rank) {
  std::vector<std::int64_t> numbers;
  if (rank == 3) return numbers;
  const std::size_t count = 5 + mixed(seed, static_cast<std::size_t>(rank), 0) % 60;
  for (std::size_t i = 0; i < count; ++i)
    numbers.push_back(static_cast<std::int64_t>(
        1'000'000'007 * (mixed(seed, static_cast<std::size_t>(rank), i + 1) % 50)));
  return numbers;
}

/// Spectral elements of order 4 in rows of 3 by `ranks`: each has all its nodes.
std::vector<std::int64_t> elements(int rank) {
  constexpr std::int64_t order = 4, across = 3;
  std::vector<std::int64_t> numbers;
  for (std::int64_t x = 0; x < across; ++x)
    for (std::int64_t j = 0; j <= order; ++j)
      for (std::int64_t i = 0; i <= order; ++i)
        numbers.push_back((rank * order + j) * (across * order + 1) + x * order + i);
  return numbers;
}

/// What all copies of each node make: each rank's by places, then those of ranks.
template <class T, class How>
std::map<std::int64_t, T> combined(const Numbering& numbering, int step, How how) {
  std::map<std::int64_t, T> all;
  const auto add = [&](std::map<std::int64_t, T>& to, std::int64_t number, T one) {
    const auto [found, first] = to.emplace(number, one);
    if (!first) found->second = how(found->second, one);
  };
  for (int rank = 0; rank < ranks(); ++rank) {
    const auto numbers = numbering(rank);
    std::map<std::int64_t, T> own;
    for (std::size_t i = 0; i < numbers.size(); ++i) add(own, numbers[i], value<T>(rank, i, step));
    for (const auto& [number, one] : own) add(all, number, one);
  }
  return all;
}

template <class T, class How>
void expect_combined(const Numbering& numbering, const std::string& scheme, const Combine& combine,
                     How how, std::size_t most_direct = 8) {
  const std::vector<std::int64_t> mine = numbering(me());
  std::vector<T> nodes(mine.size()), others(mine.size());
  GatherScatter shared(world(), mine,
                       {field(nodes.data(), nodes.size()), field(others.data(), others.size())},
                       scheme, {.combine = combine, .most_direct = most_direct});
  for (int step = 0; step < 3; ++step) {
    const auto first = combined<T>(numbering, step, how),
               second = combined<T>(numbering, step + 100, how);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      nodes[i] = value<T>(me(), i, step);
      others[i] = value<T>(me(), i, step + 100);
    }
    shared.run();
    for (std::size_t i = 0; i < mine.size(); ++i) {
      ASSERT_EQ(nodes[i], first.at(mine[i])) << scheme << ", node " << mine[i] << ", step " << step;
      ASSERT_EQ(others[i], second.at(mine[i])) << scheme << ", node " << mine[i];
    }
  }
}

template <class T>
T sum(T a, T b) {
  return a + b;
}

std::string refusal(const std::vector<std::int64_t>& numbers, std::size_t elements,
                    const Combine& combine = Combine::sum) {
  std::vector<double> nodes(elements);
  return complaint([&] {
    GatherScatter(world(), numbers, field(nodes.data(), elements), "p2p:nonblocking",
                  {.combine = combine});
  });
}

}  // namespace

TEST(GatherScatter, AddsInTheOrderOfPlacesAndThenOfRanks) {
  for (const char* scheme : {"p2p:nonblocking", "neighbor:blocking", "rma:put:flush", "shm:signal"})
    for (unsigned seed = 1; seed <= 4; ++seed) {
      const auto random = [&](int rank) { return at_random(seed, rank); };
      expect_combined<double>(random, scheme, Combine::sum, sum<double>);
      expect_combined<std::int64_t>(random, scheme, Combine::sum, sum<std::int64_t>);
    }
}

TEST(GatherScatter, AddsLikewiseByWayOfTheLowestRank) {
  for (const char* scheme :
       {"p2p:persistent", "rma:get:fence", "shm:signal", "rma:accumulate:fence"})
    for (const std::size_t most_direct : {0U, 2U}) {
      const auto random = [&](int rank) { return at_random(7, rank); };
      expect_combined<double>(random, scheme, Combine::sum, sum<double>, most_direct);
    }
}

TEST(GatherScatter, SendsEachSharedNodeOnceToEachSharer) {
  // Each rank has three copies of a node that all have, and one of a node that only two have.
  const std::vector<std::int64_t> numbers{7, 7, 7, 100 + me() / 2, 1000 + me()};
  std::vector<double> u(numbers.size(), 1.0), v(u);
  const std::vector<Field> both{field(u.data(), u.size()), field(v.data(), v.size())};
  GatherScatter direct(world(), numbers, both, "p2p:nonblocking");
  const bool paired = me() / 2 * 2 + 1 < ranks();
  EXPECT_EQ(direct.bytes_sent(), 16U * (static_cast<unsigned>(ranks() - 1) + (paired ? 1 : 0)));
  direct.run();
  EXPECT_EQ(u, (std::vector<double>{3.0 * ranks(), 3.0 * ranks(), 3.0 * ranks(), paired ? 2.0 : 1.0,
                                    1.0}));
  EXPECT_EQ(v, u);
  GatherScatter hub(world(), numbers, both, "p2p:nonblocking", {.most_direct = 0});
  const unsigned others = static_cast<unsigned>(ranks() - 1);
  EXPECT_EQ(hub.bytes_sent(), 16U * ((me() == 0 ? others : 1) + (paired ? 1 : 0)));
  EXPECT_THROW(
      {
        direct.start();
        direct.start();
      },
      Error);
}

TEST(GatherScatter, TakesOtherArraysAtEachStep) {
  const auto random = [](int rank) { return at_random(5, rank); };
  const std::vector<std::int64_t> mine = random(me());
  for (const char* scheme : {"p2p:nonblocking", "p2p:persistent", "shm:signal", "rma:put:fence",
                             "shm:signal+access=copy", "rma:accumulate:flush"})
    for (const std::size_t most_direct : {0U, 8U}) {
      GatherScatter shared(world(), mine, {unbound<double>(), unbound<std::int64_t>()}, scheme,
                           {.most_direct = most_direct});
      EXPECT_EQ(mpi::size(shared.comm()), ranks());
      EXPECT_EQ(shared.fields().size(), 2U);
      std::vector<std::unique_ptr<std::vector<double>>> kept;
      for (int step = 0; step < 4; ++step) {
        // Even ranks have an array for each step, odd ones mostly one at the same place.
        auto nodes = std::make_unique<std::vector<double>>(mine.size());
        std::vector<std::int64_t> others(mine.size() + 3);
        for (std::size_t i = 0; i < mine.size(); ++i) {
          (*nodes)[i] = value<double>(me(), i, step);
          others[i] = value<std::int64_t>(me(), i, step);
        }
        shared.run({field(nodes->data(), nodes->size()), field(others.data(), others.size())});
        const auto first = combined<double>(random, step, sum<double>);
        const auto second = combined<std::int64_t>(random, step, sum<std::int64_t>);
        for (std::size_t i = 0; i < mine.size(); ++i) {
          ASSERT_EQ((*nodes)[i], first.at(mine[i])) << scheme << ", step " << step;
          ASSERT_EQ(others[i], second.at(mine[i])) << scheme << ", step " << step;
        }
        if (me() % 2 == 0) kept.push_back(std::move(nodes));
      }
    }
}

TEST(GatherScatter, RefusesArraysThatDoNotFit) {
  const std::vector<std::int64_t> numbers{1, 2, 3};
  std::vector<double> nodes(3, 1.0);
  const std::vector<double> constant(3);
  std::vector<float> singles(3);
  const Field whole = field(nodes.data(), 3);
  GatherScatter shared(world(), numbers, unbound<double>(), "p2p:nonblocking");
  const auto says = [&](const std::string& said, const char* part) {
    EXPECT_NE(said.find(part), said.npos) << said;
  };
  says(complaint([&] { shared.run(); }), "give it fields at each step: start(field(x))");
  says(complaint([&] { shared.run({whole, whole}); }), "there are 2 fields, but");
  says(complaint([&] { shared.run(field(singles.data(), 3)); }), "elements of 4 bytes");
  says(complaint([&] { shared.run(field(nodes.data(), 2)); }), "field 0 has 2 elements");
  says(complaint([&] { shared.run(field(constant.data(), 3)); }), "constant elements");
  shared.run(whole);  // a refusal leaves it as it was
  EXPECT_EQ(nodes, std::vector<double>(3, ranks()));
  GatherScatter bound(world(), numbers, whole, "p2p:nonblocking");
  std::vector<double> others(3);
  bound.run(whole);  // it lies where it lay
  says(complaint([&] { bound.run(field(others.data(), 3)); }),
       "field 0 lies elsewhere than the one");
  if (ranks() > 1)
    says(complaint([&] {
           GatherScatter(world(), numbers, me() == 0 ? whole : unbound<double>(), "shm:signal");
         }),
         "some fields are in memory and others are unbound<T>()");
}

TEST(GatherScatter, AddsTheNodesOfSpectralElements) {
  for (const char* scheme : {"p2p:persistent", "rma:get:pscw", "shm:message"})
    expect_combined<double>(elements, scheme, Combine::sum, sum<double>);
}

TEST(GatherScatter, KnowsLeastAndGreatest) {
  const auto random = [](int rank) { return at_random(9, rank); };
  expect_combined<double>(random, "p2p:nonblocking", Combine::min,
                          [](double a, double b) { return std::min(a, b); });
  expect_combined<float>(random, "shm:signal", Combine::max,
                         [](float a, float b) { return std::max(a, b); });
}

TEST(GatherScatter, CombinesByAFunction) {
  const auto random = [](int rank) { return at_random(11, rank); };
  const auto middle = [](const double& a, const double& b) { return (a + b) / 2; };
  expect_combined<double>(random, "p2p:nonblocking", Combine::of<double>(middle), middle);
}

TEST(GatherScatter, TakesNodesThatNobodyShares) {
  const auto alone = [](int rank) {
    return std::vector<std::int64_t>{2 * rank, 1001, 2 * rank + 1};
  };
  expect_combined<double>(alone, "p2p:nonblocking", Combine::sum, sum<double>);
}

TEST(GatherScatter, AddsVectors) {
  const std::vector<std::int64_t> numbers{7, 7};
  std::vector<std::array<double, 2>> nodes{{1, 2}, {3, 4}};
  GatherScatter(world(), numbers, field(nodes.data(), nodes.size()), "p2p:nonblocking").run();
  const double all = ranks();
  EXPECT_EQ(nodes[0], (std::array<double, 2>{4 * all, 6 * all}));
  EXPECT_EQ(nodes[1], nodes[0]);
}

// docs/how-to/add-up-shared-nodes.md
TEST(GatherScatter, DoesWhatItsPageSays) {
  const auto global_numbers = [] { return elements(me()); };
  const auto assemble = [](std::vector<double>& copies) {
    std::fill(copies.begin(), copies.end(), 1.0);
  };
  std::vector<std::int64_t> numbers = global_numbers();  // of the node that u[i] copies
  std::vector<double> u(numbers.size());
  GatherScatter shared(world(), numbers, field(u.data(), u.size()), "p2p:persistent");

  assemble(u);   // each copy has what its own element adds
  shared.run();  // all copies of a node have the sum

  std::map<std::int64_t, double> copies;
  for (int rank = 0; rank < ranks(); ++rank)
    for (const std::int64_t number : elements(rank)) copies[number] += 1;
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(u[i], copies[numbers[i]]);

  std::vector<Array<double>> f;
  for (int axis = 0; axis < 3; ++axis) f.emplace_back(world(), numbers.size());
  auto &fx = f[0], &fy = f[1], &fz = f[2];
  for (auto& component : f) std::fill(component.begin(), component.end(), 1.0);
  GatherScatter forces(world(), numbers, {fx, fy, fz}, "p2p:persistent");
  forces.run();
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(fz[i], u[i]);

  assemble(u);
  for (double& component : fx) component = 1.0;
  GatherScatter any(world(), numbers, unbound<double>(), "p2p:persistent");
  any.run(field(u.data(), u.size()));
  any.run(fx);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(u[i], copies[numbers[i]]);
    EXPECT_EQ(fx[i], u[i]);
  }

  // The nearest of the hits that a ring of ranks sends on.
  struct Hit {
    double t;
    std::int64_t face;
  };
  if (ranks() == 1) return;
  const int before = (me() + ranks() - 1) % ranks();
  Pattern pattern;
  pattern.send((me() + 1) % ranks(), {.offset = 0});
  pattern.receive(before, {.offset = 1});
  const char* scheme = "p2p:nonblocking";
  std::vector<Hit> hit{{1.0 + me(), me()}, {1.5, 7}};
  // clang-format off
  const auto nearer = [](const Hit& here, const Hit& arrived) { return arrived.t < here.t ? arrived : here; };
  Exchange hits(pattern, field(hit.data(), hit.size()), scheme, {.combine = Combine::of<Hit>(nearer)});
  // clang-format on
  hits.run();
  EXPECT_EQ(hit[1].face, before == 0 ? 0 : 7);
}

TEST(GatherScatter, SaysWhatIsWrong) {
  const std::string last = std::to_string(ranks() - 1);
  EXPECT_EQ(refusal(me() == ranks() - 1 ? std::vector<std::int64_t>{4, -1}
                                        : std::vector<std::int64_t>{4, 1},
                    2),
            "gather-scatter: rank " + last + ": element 1 has the number -1; numbers begin with 0");
  EXPECT_EQ(
      refusal({4, 1}, 3),
      "gather-scatter: rank 0: there are 2 numbers for a field of 3 elements; each needs one");
  EXPECT_EQ(
      refusal({4, 1}, 2, Combine::replace),
      "gather-scatter: rank 0: copies that replace each other have no result; combine by sum, "
      "min or max");
}
