// Patterns are pure data: links from blocks and from index lists.

#include "common/complaint.hpp"

#include <halocline/more/mpi.hpp>
#include <halocline/pattern.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <sstream>

using namespace halocline;

namespace {

const Block row{.offset = 4, .count = {1, 1, 3}};
const Block column{.offset = 0, .count = {1, 5, 1}, .stride = {0, 4}};

/// The elements of a link in message order.
std::vector<std::ptrdiff_t> elements(const Link& link) {
  std::vector<std::ptrdiff_t> list;
  for (const Block& block : link.blocks)
    for (std::size_t plane = 0; plane < block.count[0]; ++plane)
      for (std::size_t r = 0; r < block.count[1]; ++r)
        for (std::size_t i = 0; i < block.count[2]; ++i)
          list.push_back(block.offset + static_cast<std::ptrdiff_t>(plane) * block.stride[0] +
                         static_cast<std::ptrdiff_t>(r) * block.stride[1] +
                         static_cast<std::ptrdiff_t>(i));
  return list;
}

using Indices = std::vector<std::vector<std::ptrdiff_t>>;

TEST(Pattern, IsEmptyAtFirst) {
  const Pattern pattern;
  EXPECT_TRUE(pattern.empty());
  EXPECT_EQ(pattern.extent(), 0u);
  EXPECT_EQ(pattern.elements_sent(), 0u);
}

TEST(Pattern, OfAShiftHasLinksInOneDirection) {
  const Block there{.offset = 10, .count = {1, 1, 3}};
  const Pattern pattern = Pattern::shift(2, row, 1, there);
  ASSERT_EQ(pattern.sends().size(), 1u);
  ASSERT_EQ(pattern.receives().size(), 1u);
  EXPECT_EQ(pattern.sends()[0].peer, 2);
  EXPECT_EQ(pattern.receives()[0].peer, 1);
  EXPECT_EQ(elements(pattern.sends()[0]), (std::vector<std::ptrdiff_t>{4, 5, 6}));
  EXPECT_EQ(elements(pattern.receives()[0]), (std::vector<std::ptrdiff_t>{10, 11, 12}));

  // A ring of two, and the ends of a row.
  EXPECT_EQ(Pattern::shift(1, row, 1, there).sends().size(), 1u);
  EXPECT_TRUE(Pattern::shift(-1, row, 1, there).sends().empty());
  EXPECT_TRUE(Pattern::shift(2, row, -1, there).receives().empty());
  EXPECT_THROW(Pattern::shift(2, row, 1, column), Error);
}

TEST(Pattern, IsTheSameInAnArrayWithPadding) {
  // Two planes of three rows of four; every row of six, the first at element 5.
  Pattern dense;
  dense.send(1, {.offset = 12 + 4, .count = {1, 2, 3}, .stride = {12, 4}});
  dense.receive(2, {.offset = 3, .count = {2, 3, 1}, .stride = {12, 4}});
  dense.copy({.offset = 0, .count = {1, 1, 2}}, {.offset = 22, .count = {1, 1, 2}});
  dense.set_stages({dense, dense});
  const auto moved = [](std::ptrdiff_t at) { return 5 + at / 12 * 20 + at % 12 / 4 * 6 + at % 4; };
  const Pattern padded = dense.padded({.lead = 5, .plane = 20, .row = 6}, 3, 4);
  const auto same = [&](const Link& before, const Link& after) {
    std::vector<std::ptrdiff_t> expected = elements(before);
    std::ranges::transform(expected, expected.begin(), moved);
    EXPECT_EQ(after.peer, before.peer);
    EXPECT_EQ(elements(after), expected);
  };
  ASSERT_EQ(padded.stages().size(), 2u);
  for (const Pattern& pattern : {padded, padded.stages()[1]}) {
    same(dense.sends()[0], pattern.sends()[0]);
    same(dense.receives()[0], pattern.receives()[0]);
    same(dense.copies_from(), pattern.copies_from());
    same(dense.copies_to(), pattern.copies_to());
  }
}

TEST(Pattern, HasOneLinkForEachPeer) {
  Pattern pattern;
  pattern.send(3, row);
  pattern.send(1, row);
  pattern.send(3, column);
  ASSERT_EQ(pattern.sends().size(), 2u);
  EXPECT_EQ(pattern.sends()[0].peer, 3);
  EXPECT_EQ(pattern.sends()[0].blocks, (std::vector<Block>{row, column}));
  EXPECT_EQ(pattern.sends()[0].size(), 8u);
  EXPECT_EQ(pattern.elements_sent(), 11u);
  EXPECT_TRUE(pattern.receives().empty());
}

TEST(Pattern, ExtentCoversEveryBlock) {
  Pattern pattern;
  pattern.send(0, row);
  EXPECT_EQ(pattern.extent(), 7u);
  pattern.receive(0, column);
  EXPECT_EQ(pattern.extent(), 17u);
  pattern.copy({.offset = 20, .count = {2, 2, 2}, .stride = {9, 3}},
               {.offset = 0, .count = {1, 1, 8}});
  EXPECT_EQ(pattern.extent(), 20u + 9 + 3 + 2);
}

TEST(Pattern, IgnoresBlocksWithoutElements) {
  Pattern pattern;
  pattern.send(1, {.offset = 0, .count = {1, 0, 4}});
  pattern.copy({.count = {0, 1, 1}}, {.count = {1, 1, 0}});
  EXPECT_TRUE(pattern.empty());
}

TEST(Pattern, CopiesMustAgreeInSize) {
  Pattern pattern;
  EXPECT_THROW(pattern.copy(row, column), Error);
  pattern.copy(row, {.offset = 9, .count = {1, 3, 1}, .stride = {0, 2}});
  EXPECT_FALSE(pattern.empty());
  EXPECT_EQ(elements(pattern.copies_from()), (std::vector<std::ptrdiff_t>{4, 5, 6}));
  EXPECT_EQ(elements(pattern.copies_to()), (std::vector<std::ptrdiff_t>{9, 11, 13}));
}

TEST(Pattern, SendsNothingToNobody) {
  // MPI_PROC_NULL is negative.
  Pattern pattern;
  pattern.send(-1, row);
  pattern.receive(-2, row);
  pattern.send_nothing(-1);
  pattern.receive_nothing(-1);
  EXPECT_TRUE(pattern.empty());
  const Indices lists{{1, 2}, {4}};
  const std::vector<int> peers{-1, 3};
  const Pattern indices = Pattern::from_indices(peers, lists, peers, lists);
  ASSERT_EQ(indices.sends().size(), 1u);
  EXPECT_EQ(indices.sends()[0].peer, 3);
  EXPECT_EQ(indices.receives().size(), 1u);
  const std::vector<int> counts{2, 1}, flat{1, 2, 4};
  const Pattern same = Pattern::from_indices(peers, counts, flat, peers, counts, flat);
  ASSERT_EQ(same.sends().size(), 1u);
  EXPECT_EQ(elements(same.sends()[0]), elements(indices.sends()[0]));
  ASSERT_EQ(same.receives().size(), 1u);
  EXPECT_TRUE(Pattern::shift(-1, row, -3, row).empty());
  pattern.receive(-1, row, {1.0});
  EXPECT_TRUE(pattern.empty());
}

TEST(Pattern, RefusesBlocksThatNoArrayHas) {
  Pattern pattern;
  EXPECT_THROW(pattern.receive(0, {.offset = -2}), Error);
  EXPECT_THROW(pattern.copy({.offset = 0}, {.offset = -2}), Error);
  constexpr std::size_t huge = std::size_t{1} << 62;
  for (const Block& block :
       {Block{.offset = 0, .count = {1, 1, ~std::size_t{0}}},
        Block{.offset = 0, .count = {huge, 4, 1}, .stride = {1, 1}},
        Block{.offset = 0, .count = {1, 3, 1}, .stride = {0, std::ptrdiff_t{1} << 62}},
        Block{.offset = std::numeric_limits<std::ptrdiff_t>::max(), .count = {1, 1, 2}},
        // Rows upwards, beyond the beginning.
        Block{.offset = 9, .count = {1, 3, 1}, .stride = {0, -5}}}) {
    EXPECT_THROW(pattern.send(0, block), Error);
    EXPECT_THROW(pattern.receive(0, block), Error);
    EXPECT_THROW(pattern.copy(block, block), Error);
  }
  EXPECT_TRUE(pattern.empty());
  pattern.send(0, {.offset = 10, .count = {1, 3, 1}, .stride = {0, -5}});
  EXPECT_EQ(pattern.extent(), 11u);
}

TEST(PatternFromIndices, KeepsTheOrderOfTheLists) {
  const Indices send{{7, 8, 9, 2, 2, 1}, {0}};
  const Indices receive{{12, 11, 10}};
  const auto pattern = Pattern::from_indices(std::vector{5, 0}, send, std::vector{2}, receive);
  ASSERT_EQ(pattern.sends().size(), 2u);
  EXPECT_EQ(pattern.sends()[0].peer, 5);
  EXPECT_EQ(elements(pattern.sends()[0]), send[0]);
  EXPECT_EQ(elements(pattern.sends()[1]), send[1]);
  ASSERT_EQ(pattern.receives().size(), 1u);
  EXPECT_EQ(elements(pattern.receives()[0]), receive[0]);
}

TEST(PatternFromIndices, TakesIndicesOfAnyType) {
  const std::vector<int> peers{1};
  const Pattern ints = Pattern::from_indices(peers, std::vector<std::vector<int>>{{3, 4, 9}}, peers,
                                             std::vector<std::vector<int>>{{1}});
  EXPECT_EQ(elements(ints.sends()[0]), (std::vector<std::ptrdiff_t>{3, 4, 9}));
  EXPECT_THROW(Pattern::from_indices(peers, std::vector<std::vector<short>>{{-3}}, peers,
                                     std::vector<std::vector<short>>{{1}}),
               Error);
}

TEST(PatternFromIndices, JoinsConsecutiveIndices) {
  const auto pattern = Pattern::from_indices(std::vector{1}, Indices{{3, 4, 5, 9, 10}}, {}, {});
  EXPECT_EQ(pattern.sends()[0].blocks, (std::vector<Block>{{.offset = 3, .count = {1, 1, 3}},
                                                           {.offset = 9, .count = {1, 1, 2}}}));
}

TEST(PatternFromIndices, RefusesNegativeIndicesAndMissingLists) {
  EXPECT_THROW(Pattern::from_indices(std::vector{1}, Indices{{0, -1}}, {}, {}), Error);
  EXPECT_THROW(Pattern::from_indices(std::vector{1, 2}, Indices{{0}}, {}, {}), Error);
}

TEST(PatternFromIndices, TakesFlatLists) {
  const std::vector<int> to{5, 0, 3}, counts{3, 0, 2}, lists{7, 8, 2, 9, 1};
  const std::array<std::int64_t, 1> from_counts{3};
  const std::vector<std::uint32_t> from_lists{12, 11, 10};
  const auto flat =
      Pattern::from_indices(to, counts, lists, std::vector{2}, std::span(from_counts), from_lists);
  const auto nested = Pattern::from_indices(to, Indices{{7, 8, 2}, {}, {9, 1}}, std::vector{2},
                                            Indices{{12, 11, 10}});
  ASSERT_EQ(flat.sends().size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(flat.sends()[i].peer, nested.sends()[i].peer);
    EXPECT_EQ(flat.sends()[i].blocks, nested.sends()[i].blocks);
  }
  EXPECT_EQ(elements(flat.receives().at(0)), (std::vector<std::ptrdiff_t>{12, 11, 10}));
}

TEST(PatternFromIndices, TakesSpansOfWhatMayChange) {
  std::vector<long> list{7, 8, 2};
  const std::span<long> span(list);
  const std::vector<int> peers{1}, counts{3};
  const auto flat = Pattern::from_indices(peers, counts, span, peers, counts, span);
  Pattern pattern;
  pattern.send(1, span);
  pattern.receive(1, span);
  pattern.copy(span, span);
  EXPECT_EQ(pattern.sends().at(0).blocks, flat.sends().at(0).blocks);
  EXPECT_EQ(pattern.receives().at(0).blocks, flat.receives().at(0).blocks);
  EXPECT_EQ(elements(pattern.copies_to()), (std::vector<std::ptrdiff_t>{7, 8, 2}));
}

TEST(PatternFromIndices, SaysWhatIsWrongWithFlatLists) {
  const std::vector<int> peers{4, 6}, none;
  const auto refusal = [&](const std::vector<int>& counts, const std::vector<int>& lists) {
    return complaint([&] { Pattern::from_indices(peers, counts, lists, none, none, none); });
  };
  EXPECT_EQ(refusal({1, 2}, {3, 4, 5}), "");
  EXPECT_EQ(refusal({1, 2}, {3, 4, -5}),
            "pattern: the index list of rank 6 has the index -5, must be >= 0");
  EXPECT_EQ(refusal({1, 2}, {3, 4}),
            "pattern: the counts of what is sent add up to 3, but there are 2 indices");
  EXPECT_EQ(refusal({3}, {3, 4, 5}),
            "pattern: there are 2 peers, but 1 counts of what is sent; each needs one");
  EXPECT_EQ(refusal({4, -1}, {3, 4, 5}),
            "pattern: the count of what is sent, rank 6, is -1, must be >= 0");
}

TEST(Pattern, KeepsShiftsOnTheWayThere) {
  Pattern pattern;
  pattern.receive(3, {.offset = 4});
  EXPECT_FALSE(pattern.shifts());
  pattern.receive(3, {.offset = 9}, {1.5, 0});
  pattern.copy({.offset = 0}, {.offset = 2}, {0, -1.5});
  pattern.receive(-1, {.offset = 8}, {2, 0});
  EXPECT_TRUE(pattern.shifts());
  ASSERT_EQ(pattern.receives().at(0).shifts.size(), 1u);
  EXPECT_EQ(pattern.receives()[0].shifts[0].first, 1u);
  EXPECT_EQ(pattern.receives()[0].shifts[0].by, (std::vector<double>{1.5, 0}));
  EXPECT_EQ(pattern.copies_to().shifts.at(0).by, (std::vector<double>{0, -1.5}));
  EXPECT_EQ(Pattern::united(std::vector{Pattern(), pattern}).receives().at(0).shifts.at(0).first,
            1u);
  const Pattern back = pattern.reversed();
  EXPECT_FALSE(back.shifts());
  EXPECT_TRUE(back.sends()[0].shifts.empty());
}

TEST(Pattern, ShiftsAWholeIndexListAtOnce) {
  const std::vector<int> from{5, 6, 2, 9}, to{20, 21, 22, 24};
  Pattern pattern;
  pattern.send(3, from);
  pattern.receive(3, std::vector<std::int64_t>{30});
  pattern.receive(3, to, {1.5, 0});
  pattern.copy(from, to, {0, -1.5});
  pattern.copy({.offset = 0}, {.offset = 40}, {0, -1.5});
  const auto blocks = [](const Link& link) {
    std::vector<std::pair<std::ptrdiff_t, std::size_t>> all;
    for (const Block& block : link.blocks) all.emplace_back(block.offset, block.size());
    return all;
  };
  using Blocks = std::vector<std::pair<std::ptrdiff_t, std::size_t>>;
  EXPECT_EQ(blocks(pattern.sends().at(0)), (Blocks{{5, 2}, {2, 1}, {9, 1}}));
  EXPECT_EQ(blocks(pattern.receives().at(0)), (Blocks{{30, 1}, {20, 3}, {24, 1}}));
  EXPECT_EQ(blocks(pattern.copies_from()), (Blocks{{5, 2}, {2, 1}, {9, 1}, {0, 1}}));
  EXPECT_EQ(blocks(pattern.copies_to()), (Blocks{{20, 2}, {22, 1}, {24, 1}, {40, 1}}));
  // One shift for all, however many blocks there are.
  ASSERT_EQ(pattern.receives()[0].shifts.size(), 1u);
  EXPECT_EQ(pattern.receives()[0].shifts[0].first, 1u);
  EXPECT_EQ(pattern.receives()[0].shifts[0].count, 2u);
  ASSERT_EQ(pattern.copies_to().shifts.size(), 1u);
  EXPECT_EQ(pattern.copies_to().shifts[0].count, 4u);
  const Pattern parts = Pattern::united(std::vector{pattern, pattern});
  ASSERT_EQ(parts.copies_to().shifts.size(), 2u);
  EXPECT_EQ(parts.copies_to().shifts[1].first, 4u);
  EXPECT_THROW(pattern.copy(from, std::vector{1, 2, 3}), Error);
  EXPECT_THROW(pattern.copy(std::vector{-1}, std::vector{1}), Error);
  EXPECT_THROW(pattern.receive(3, std::vector{-1}, {1, 1}), Error);
}

TEST(Pattern, CanBePrinted) {
  Pattern pattern;
  pattern.send(3, column);
  pattern.receive(4, row);
  std::ostringstream out;
  out << pattern;
  EXPECT_NE(out.str().find("-> rank 3: 5 elements"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("<- rank 4: 3 elements"), std::string::npos) << out.str();
}

}  // namespace
