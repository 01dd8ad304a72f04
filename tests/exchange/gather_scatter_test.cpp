// Sums over all copies of shared nodes, against sums made by every rank from what all have.

#include "common/complaint.hpp"
#include "common/ranks.hpp"

#include "common/changing_graph.hpp"

#include <halocline/gather_scatter.hpp>
#include <halocline/tuner.hpp>

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

using namespace halocline;

namespace {

/// Of a copy: so that the order of a sum shows in its bits.
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

template <class T, class How>
void expect_combined(const Numbering& numbering, const std::string& scheme, Combine combine,
                     How how) {
  const std::vector<std::int64_t> mine = numbering(me());
  std::vector<T> nodes(mine.size());
  GatherScatter shared(world(), mine, field(nodes.data(), nodes.size()), scheme, combine);
  for (int step = 0; step < 3; ++step) {
    std::map<std::int64_t, T> expected;
    for (int rank = 0; rank < ranks(); ++rank) {
      const auto numbers = numbering(rank);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        const T one = value<T>(rank, i, step);
        const auto [found, first] = expected.emplace(numbers[i], one);
        if (!first) found->second = how(found->second, one);
      }
    }
    for (std::size_t i = 0; i < mine.size(); ++i) nodes[i] = value<T>(me(), i, step);
    shared.run();
    for (std::size_t i = 0; i < mine.size(); ++i)
      ASSERT_EQ(nodes[i], expected[mine[i]]) << scheme << ", node " << mine[i] << ", step " << step;
  }
}

template <class T>
T sum(T a, T b) {
  return a + b;
}

std::string refusal(const std::vector<std::int64_t>& numbers, std::size_t elements,
                    Combine combine = Combine::sum) {
  std::vector<double> nodes(elements);
  return complaint([&] {
    GatherScatter(world(), numbers, field(nodes.data(), elements), "p2p:nonblocking", combine);
  });
}

}  // namespace

TEST(GatherScatter, AddsInTheOrderOfRanksAndPlaces) {
  for (const char* scheme : {"p2p:nonblocking", "neighbor:blocking", "rma:put:flush", "shm:signal"})
    for (unsigned seed = 1; seed <= 4; ++seed) {
      const auto random = [&](int rank) { return at_random(seed, rank); };
      expect_combined<double>(random, scheme, Combine::sum, sum<double>);
      expect_combined<std::int64_t>(random, scheme, Combine::sum, sum<std::int64_t>);
    }
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

TEST(GatherScatter, LeavesTheOrderToMpiIfAskedTo) {
  const auto random = [](int rank) { return at_random(5, rank); };
  expect_combined<std::int64_t>(random, "rma:accumulate:fence", Combine::sum, sum<std::int64_t>);
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
