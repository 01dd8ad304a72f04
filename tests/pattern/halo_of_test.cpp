// Halos of several blocks a rank, against a walk over all cells: random boxes and cuts, widths,
// orders of axes and periodic axes, of one to five axes.

#include "common/complaint.hpp"
#include "common/redistributions.hpp"

#include <halocline/cut.hpp>

#include <gtest/gtest.h>
#include <map>

using namespace halocline;

namespace {

using Part = Distribution::Part;
using Cell = std::array<std::int64_t, most_axes>;

/// Calls `visit(element, cell, axes along which it lies in the halo)` for all of a part's array.
template <class Visit>
void each_element(const Distribution& parts, const Part& part, const Visit& visit,
                  std::size_t axis = 0, Cell at = {}, int outside_axes = 0) {
  if (axis == std::min(at.size(), static_cast<std::size_t>(parts.axes()))) {
    std::ptrdiff_t element = part.offset;
    for (std::size_t i = 0; i < axis; ++i)
      element += (at[i] - part.cells[i].begin) * part.stride[i];
    return visit(static_cast<std::size_t>(element), at, outside_axes);
  }
  const HaloWidth room = parts.halo(static_cast<int>(axis));
  const Range owned = part.cells[axis];
  for (at[axis] = owned.begin - room.below; at[axis] < owned.end + room.above; ++at[axis]) {
    const bool in_halo = at[axis] < owned.begin || at[axis] >= owned.end;
    each_element(parts, part, visit, axis + 1, at, outside_axes + in_halo);
  }
}

struct Blocks {
  int ranks = 1;
  std::vector<std::int64_t> cells;
  Distribution parts{{1}, {1}};
  HaloOptions options;
};

Blocks random_blocks(unsigned seed) {
  std::mt19937 dice(seed);
  const auto roll = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution(low, high)(dice);
  };
  Blocks made;
  made.ranks = static_cast<int>(roll(1, 4));
  const auto axes = static_cast<std::size_t>(roll(1, 5));
  DistributionOptions options;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    made.cells.push_back(roll(1, axes < 3 ? 12 : axes == 3 ? 7 : 4));
    options.halos.emplace_back(static_cast<int>(roll(0, 2)), static_cast<int>(roll(0, 2)));
    made.options.periodic.push_back(roll(0, 1) == 1);
    const HaloWidth room = options.halos.back();
    made.options.widths.emplace_back(static_cast<int>(roll(0, room.below)),
                                     static_cast<int>(roll(0, room.above)));
  }
  if (roll(0, 1) == 0) made.options.widths.clear();
  made.options.cells = made.cells;
  made.options.corners = roll(0, 1) == 1;
  if (roll(0, 2) == 0) {
    options.order.resize(axes);
    std::iota(options.order.begin(), options.order.end(), 0);
    std::ranges::shuffle(options.order, dice);
  }
  // Boxes that are halved again and again, of which some get lost.
  Box all;
  for (const std::int64_t cells : made.cells) all.push_back({0, cells});
  std::vector<Box> boxes{all};
  for (std::int64_t more = roll(0, 10); more > 0; --more) {
    const auto which = static_cast<std::size_t>(roll(0, static_cast<int>(boxes.size()) - 1));
    const auto axis = static_cast<std::size_t>(roll(0, static_cast<int>(axes) - 1));
    Box other = boxes[which];
    other[axis].begin = boxes[which][axis].end = roll(other[axis].begin, other[axis].end);
    boxes.push_back(other);
  }
  if (roll(0, 2) == 0) boxes.pop_back();
  std::vector<std::vector<Box>> of_ranks(static_cast<std::size_t>(made.ranks));
  for (const Box& box : boxes)
    of_ranks[static_cast<std::size_t>(roll(0, made.ranks - 1))].push_back(box);
  if (boxes.empty()) of_ranks[0].push_back(all);
  made.parts = Distribution::of_boxes(of_ranks, std::move(options));
  return made;
}

/// The number of a cell's image inside the grid; `outside` if there is none.
std::int64_t number(const Blocks& blocks, const Cell& cell) {
  std::int64_t index = 0;
  for (std::size_t axis = 0; axis < blocks.cells.size(); ++axis) {
    const std::int64_t cells = blocks.cells[axis];
    if (!blocks.options.periodic[axis] && (cell[axis] < 0 || cell[axis] >= cells)) return outside;
    index = index * cells + (cell[axis] % cells + cells) % cells;
  }
  return index;
}

std::vector<std::int64_t> owned(const Blocks& blocks, int rank) {
  std::vector<std::int64_t> array(blocks.parts.elements(rank), outside);
  for (const Part& part : blocks.parts.parts_of(rank))
    each_element(blocks.parts, part, [&](std::size_t element, const Cell& cell, int halo_axes) {
      if (halo_axes == 0) array.at(element) = number(blocks, cell);
    });
  return array;
}

std::vector<std::int64_t> filled(const Blocks& blocks, int rank,
                                 const std::vector<bool>& has_owner) {
  std::vector<std::int64_t> array(blocks.parts.elements(rank), outside);
  for (const Part& part : blocks.parts.parts_of(rank))
    each_element(blocks.parts, part, [&](std::size_t element, const Cell& cell, int halo_axes) {
      bool wanted = halo_axes <= 1 || blocks.options.corners;
      for (std::size_t axis = 0; axis < blocks.options.widths.size(); ++axis)
        wanted = wanted &&
                 cell[axis] >= part.cells[axis].begin - blocks.options.widths[axis].below &&
                 cell[axis] < part.cells[axis].end + blocks.options.widths[axis].above;
      const std::int64_t there = number(blocks, cell);
      if (wanted && there != outside && has_owner[static_cast<std::size_t>(there)])
        array.at(element) = there;
    });
  return array;
}

void expect_right(const Blocks& blocks) {
  std::int64_t cells = 1;
  for (const std::int64_t count : blocks.cells) cells *= count;
  std::vector<bool> has_owner(static_cast<std::size_t>(cells), false);
  std::vector<std::vector<std::int64_t>> arrays;
  std::vector<Pattern> patterns;
  for (int rank = 0; rank < blocks.ranks; ++rank) {
    arrays.push_back(owned(blocks, rank));
    for (const std::int64_t cell : arrays.back())
      if (cell != outside) has_owner[static_cast<std::size_t>(cell)] = true;
    patterns.push_back(Pattern::halo_of(blocks.parts, rank, blocks.options));
  }
  const auto before = arrays;
  const auto bring = [&](const Link& leaves, int source, const Link& lands, int target) {
    const auto sent = elements(leaves), received = elements(lands);
    ASSERT_EQ(sent.size(), received.size());
    ASSERT_EQ(leaves.blocks.size(), lands.blocks.size());
    for (std::size_t i = 0; i < sent.size(); ++i) {
      auto& cell =
          arrays[static_cast<std::size_t>(target)].at(static_cast<std::size_t>(received[i]));
      ASSERT_EQ(cell, outside);  // no halo cell comes twice
      cell = before[static_cast<std::size_t>(source)].at(static_cast<std::size_t>(sent[i]));
    }
  };
  for (int rank = 0; rank < blocks.ranks; ++rank) {
    const Pattern& pattern = patterns[static_cast<std::size_t>(rank)];
    bring(pattern.copies_from(), rank, pattern.copies_to(), rank);
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
  for (int rank = 0; rank < blocks.ranks; ++rank)
    ASSERT_EQ(arrays[static_cast<std::size_t>(rank)], filled(blocks, rank, has_owner))
        << "rank " << rank;
}

TEST(HaloOfBlocks, FillsEveryCellThatHasAnOwner) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("blocks " + std::to_string(seed));
    expect_right(random_blocks(seed));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(HaloOfBlocks, IsThatOfAGridWhereEachRankHasOne) {
  for (const bool corners : {false, true}) {
    const GridCut grid(6, {9, 8, 7},
                       {.halos = {1, {2, 1}, 0},
                        .periodic = {true, false, true},
                        .corners = corners,
                        .cuts = {{0, 2, 9}, {0, 2, 5, 8}, {0, 7}}});
    for (int rank = 0; rank < 6; ++rank) {
      const Pattern grids = grid.halo(rank);
      const Pattern blocks = Pattern::halo_of(
          grid.distribution(), rank, {.periodic = {true, false, true}, .corners = corners});
      std::map<int, std::vector<std::ptrdiff_t>> expected, found;
      for (const Link& link : grids.receives()) expected[link.peer] = elements(link);
      for (const Link& link : blocks.receives()) found[link.peer] = elements(link);
      expected[rank] = elements(grids.copies_to());
      found[rank] = elements(blocks.copies_to());
      for (auto* all : {&expected, &found})
        for (auto& [peer, list] : *all) std::ranges::sort(list);
      EXPECT_EQ(found, expected) << "rank " << rank;
    }
  }
}

TEST(HaloOfAGrid, ComesInStagesAsWell) {
  // Grids of up to five axes, unevenly cut: along one axis after the other, by way of neighbours.
  std::mt19937 dice(3);
  const auto roll = [&](int low, int high) {
    return std::uniform_int_distribution(low, high)(dice);
  };
  for (int i = 0; i < 60; ++i) {
    const auto axes = static_cast<std::size_t>(roll(2, 5));
    std::vector<std::int64_t> cells(axes, 0);
    GridOptions options{.periodic = std::vector<bool>(axes)};
    for (std::size_t axis = 0; axis < axes; ++axis) {
      options.halos.emplace_back(roll(0, 1), roll(0, 2));
      options.periodic[axis] = roll(0, 1) == 1;
      auto& cuts = options.cuts.emplace_back(1, 0);
      for (int parts = roll(1, 2); parts > 0; --parts) cuts.push_back(cuts.back() + roll(2, 4));
      cells[axis] = cuts.back();
    }
    const GridCut grid(1 << axes, cells, options);
    std::vector<std::vector<std::int64_t>> once, staged;
    for (int rank = 0; rank < grid.parts(); ++rank) {
      const auto own = grid.distribution().parts_of(rank);
      auto& array = once.emplace_back(grid.elements(rank), outside);
      each_element(grid.distribution(), own.at(0),
                   [&](std::size_t element, const Cell&, int halo_axes) {
                     if (halo_axes == 0)
                       array[element] = rank * 100'000 + static_cast<std::int64_t>(element);
                   });
    }
    staged = once;
    const auto exchange = [&](auto& arrays, const auto& pattern_of) {
      const auto before = arrays;
      const auto bring = [&](const Link& leaves, int source, const Link& lands, int target) {
        const auto sent = elements(leaves), received = elements(lands);
        ASSERT_EQ(sent.size(), received.size());
        for (std::size_t e = 0; e < sent.size(); ++e)
          arrays[static_cast<std::size_t>(target)][static_cast<std::size_t>(received[e])] =
              before[static_cast<std::size_t>(source)][static_cast<std::size_t>(sent[e])];
      };
      for (int rank = 0; rank < grid.parts(); ++rank) {
        const Pattern pattern = pattern_of(rank);
        bring(pattern.copies_from(), rank, pattern.copies_to(), rank);
        for (const Link& link : pattern.sends()) {
          const Pattern theirs = pattern_of(link.peer);
          bring(link, rank, *std::ranges::find(theirs.receives(), rank, &Link::peer), link.peer);
        }
      }
    };
    exchange(once, [&](int rank) { return grid.halo(rank); });
    for (std::size_t stage = 0; stage < grid.halo(0).stages().size(); ++stage)
      exchange(staged, [&](int rank) { return grid.halo(rank).stages()[stage]; });
    ASSERT_EQ(staged, once) << "grid " << i;
  }
}

TEST(HaloOfBlocks, RefusesWhatDoesNotFit) {
  const auto refusal = [](const Distribution& parts, const HaloOptions& options) {
    return complaint([&] { Pattern::halo_of(parts, 0, options); });
  };
  const Distribution boxes =
      Distribution::of_boxes({{{{0, 3}}, {{3, 6}}}, {{{6, 8}}}}, {.halos = {{1, 0}}});
  EXPECT_EQ(refusal(boxes, {}), "");
  EXPECT_EQ(refusal(boxes, {.widths = {1}}),
            "halo: along axis 0 it is 1 below and 1 above wide, but around the parts of the "
            "distribution there is room for 1 below and 0 above");
  EXPECT_EQ(refusal(boxes, {.periodic = {true}}),
            "halo: axis 0 is periodic, but how many cells it has is not known; give "
            "HaloOptions::cells");
  EXPECT_EQ(refusal(boxes, {.periodic = {true}, .cells = {7}}),
            "halo: rank 1 has cells 6 to 8 along the periodic axis 0, which has 7 cells");
  EXPECT_EQ(refusal(boxes, {.periodic = {true, false}}),
            "halo: periodic axes need an entry for each of the 1 axes");
  const Distribution twice = Distribution::of_boxes({{{{0, 3}}}, {{{2, 6}}}});
  EXPECT_EQ(refusal(twice, {}), "halo: two parts have cells in common; each cell has one owner");
}

}  // namespace
