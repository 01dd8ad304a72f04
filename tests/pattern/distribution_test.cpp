// The pattern between two distributions, against a walk over all cells: random cuts and boxes,
// numberings, orders of axes and sets of ranks.

#include "common/complaint.hpp"
#include "common/redistributions.hpp"

#include <halocline/more/mpi.hpp>

#include <gtest/gtest.h>

using namespace halocline;

namespace {

/// What all ranks' patterns together bring into the arrays of `to`, message by message.
void expect_right(const RandomRedistribution& random) {
  std::vector<Pattern> patterns;
  std::vector<std::vector<std::int64_t>> from, to;
  for (int rank = 0; rank < random.ranks; ++rank) {
    patterns.push_back(Pattern::between(random.from, random.to, rank));
    from.push_back(random.before(rank));
    to.emplace_back(random.to.elements(rank), outside);
  }
  const auto bring = [&](const Link& leaves, int source, const Link& lands, int target) {
    const auto sent = elements(leaves), received = elements(lands);
    ASSERT_EQ(sent.size(), received.size());
    for (std::size_t i = 0; i < sent.size(); ++i)
      to[static_cast<std::size_t>(target)].at(static_cast<std::size_t>(received[i])) =
          from[static_cast<std::size_t>(source)].at(static_cast<std::size_t>(sent[i]));
  };
  for (int rank = 0; rank < random.ranks; ++rank) {
    const Pattern& pattern = patterns[static_cast<std::size_t>(rank)];
    bring(pattern.copies_from(), rank, pattern.copies_to(), rank);
    EXPECT_LE(pattern.send_extent(), random.from.elements(rank));
    EXPECT_LE(pattern.receive_extent(), random.to.elements(rank));
    for (const Link& link : pattern.sends()) {
      ASSERT_NE(link.peer, rank);
      const auto& theirs = patterns.at(static_cast<std::size_t>(link.peer)).receives();
      const auto found = std::ranges::find(theirs, rank, &Link::peer);
      ASSERT_NE(found, theirs.end()) << rank << " sends to " << link.peer;
      bring(link, rank, *found, link.peer);
    }
    for (const Link& link : pattern.receives()) {
      const auto& theirs = patterns.at(static_cast<std::size_t>(link.peer)).sends();
      ASSERT_NE(std::ranges::find(theirs, rank, &Link::peer), theirs.end());
    }
  }
  for (int rank = 0; rank < random.ranks; ++rank)
    ASSERT_EQ(to[static_cast<std::size_t>(rank)], random.after(rank)) << "rank " << rank;
}

TEST(Redistribution, BringsEveryCellWhereItBelongs) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    const RandomRedistribution random(seed, 1 + static_cast<int>(seed % 7));
    SCOPED_TRACE(random.text);
    expect_right(random);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Redistribution, OfRowsToColumnsIsATranspose) {
  const std::vector<std::int64_t> cells{6, 4};
  const Distribution rows(cells, {2, 1}), columns(cells, {1, 2}, {.order = {1, 0}});
  const Pattern pattern = Pattern::between(rows, columns, 1);
  // Two columns of a rank's three rows leave, and land as rows.
  ASSERT_EQ(pattern.sends().size(), 1U);
  EXPECT_EQ(elements(pattern.sends()[0]), (std::vector<std::ptrdiff_t>{0, 1, 4, 5, 8, 9}));
  EXPECT_EQ(elements(pattern.receives()[0]), (std::vector<std::ptrdiff_t>{0, 6, 1, 7, 2, 8}));
  EXPECT_EQ(columns.elements(1), 12U);
}

TEST(Redistribution, OfTheSameIsACopy) {
  const Distribution blocks({8, 9, 10}, {2, 3, 1});
  for (int rank = 0; rank < 6; ++rank) {
    const Pattern pattern = Pattern::between(blocks, blocks, rank);
    EXPECT_TRUE(pattern.sends().empty() && pattern.receives().empty());
    EXPECT_EQ(pattern.copies_from().size(), blocks.elements(rank));
  }
}

TEST(Redistribution, LooksOnlyAtPartsThatOverlap) {
  // A million ranks: who looked at all of them would not be done in time.
  const Distribution before({20'000, 20'000}, {1000, 1000});
  const Distribution after({20'000, 20'000}, {500, 2000});
  for (int rank = 0; rank < 1'000'000; rank += 99'991) {
    const Pattern pattern = Pattern::between(before, after, rank);
    EXPECT_LE(pattern.sends().size(), 6U);
  }
}

TEST(Redistribution, RefusesWhatDoesNotFit) {
  const std::vector<std::int64_t> cells{6, 4};
  EXPECT_THROW(Distribution(cells, {2}), Error);
  EXPECT_THROW(Distribution(cells, {2, 0}), Error);
  EXPECT_THROW(Distribution({2, 2, 2, 2, 2, 2}, {1, 1, 1, 1, 1, 1}), Error);
  EXPECT_THROW(Distribution(cells, {2, 1}, {.halos = {1, -1}}), Error);
  EXPECT_THROW(Distribution(cells, {2, 1}, {.order = {0, 0}}), Error);
  EXPECT_THROW(Distribution(cells, {2, 1}, {.ranks = {0}}), Error);
  EXPECT_THROW(Distribution(cells, {2, 1}, {.ranks = {3, 3}}), Error);
  EXPECT_THROW(Distribution(cells, {2, 1}, {.halos = {1}}), Error);
  EXPECT_THROW(Distribution::of_cuts({{0, 3, 2}}), Error);
  EXPECT_THROW(Distribution::of_boxes({{{{0, 2}}, {{0, 2}, {0, 2}}}}), Error);

  const Distribution rows(cells, {2, 1});
  const auto refusal = [](const Distribution& from, const Distribution& to) {
    return complaint([&] { Pattern::between(from, to, 0); });
  };
  EXPECT_NE(refusal(rows, Distribution({6, 5}, {1, 2})).find("axis 1"), std::string::npos);
  EXPECT_NE(refusal(rows, Distribution({24}, {2})).find("2 axes"), std::string::npos);
  const Distribution twice = Distribution::of_boxes({{{{0, 6}, {0, 3}}}, {{{0, 6}, {2, 4}}}});
  EXPECT_NE(refusal(twice, rows).find("in common"), std::string::npos);
  EXPECT_TRUE(refusal(rows, twice).empty());
}

}  // namespace
