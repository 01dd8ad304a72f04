// How cells and ranks are cut into parts.

#include <halocline/cut.hpp>
#include <halocline/error.hpp>
#include <halocline/island.hpp>
#include <halocline/more/processor.hpp>
#include <halocline/range.hpp>

#include <gtest/gtest.h>

#include <numeric>

using namespace halocline;

namespace {

TEST(PartOf, CoversAllCellsInOrderAndEvenly) {
  for (std::int64_t cells : {1, 2, 7, 8, 100, 1001})
    for (int parts = 1; parts <= std::min<std::int64_t>(cells, 9); ++parts) {
      std::int64_t next = 0;
      for (int i = 0; i < parts; ++i) {
        const Range part = part_of(cells, parts, i);
        EXPECT_EQ(part.begin, next);
        EXPECT_GE(part.size(), cells / parts);
        EXPECT_LE(part.size(), cells / parts + 1);
        next = part.end;
      }
      EXPECT_EQ(next, cells);
    }
}

TEST(PartOf, GivesTheFirstPartsOneMore) {
  EXPECT_EQ(part_of(10, 4, 0), (Range{0, 3}));
  EXPECT_EQ(part_of(10, 4, 1), (Range{3, 6}));
  EXPECT_EQ(part_of(10, 4, 2), (Range{6, 8}));
  EXPECT_EQ(part_of(10, 4, 3), (Range{8, 10}));
}

TEST(PartOf, WorksBeyondFourBillionCells) {
  const std::int64_t cells = 9'000'000'001;
  EXPECT_EQ(part_of(cells, 3, 2).end, cells);
  EXPECT_EQ(part_of(cells, 3, 0), (Range{0, 3'000'000'001}));
}

std::vector<int> dims(int ranks, const std::vector<std::int64_t>& cells,
                      Decomposition how = Decomposition::blocks,
                      std::vector<HaloWidth> halos = {}) {
  if (halos.empty()) halos.assign(cells.size(), HaloWidth(1));
  return choose_dims(ranks, cells, how, halos, std::vector<bool>(cells.size(), false));
}

TEST(ChooseDims, CutsRowsAlongTheSlowestAxisAlone) {
  EXPECT_EQ(dims(6, {100, 5}, Decomposition::rows), (std::vector{6, 1}));
  EXPECT_EQ(dims(6, {4, 500}, Decomposition::rows), (std::vector{4, 1}));
}

TEST(ChooseDims, CutsBlocksWithTheLeastSurface) {
  EXPECT_EQ(dims(4, {100, 100}), (std::vector{2, 2}));
  EXPECT_EQ(dims(8, {64, 64, 64}), (std::vector{2, 2, 2}));
  EXPECT_EQ(dims(6, {1000, 10}), (std::vector{6, 1}));
  EXPECT_EQ(dims(6, {10, 1000}), (std::vector{1, 6}));
}

TEST(ChooseDims, WeighsTheWidthOfHalos) {
  // An axis without halo is cut for nothing.
  EXPECT_EQ(dims(4, {100, 100}, Decomposition::blocks, {HaloWidth(1), HaloWidth(0)}),
            (std::vector{1, 4}));
}

TEST(ChooseDims, PrefersToCutTheSlowestAxis) {
  EXPECT_EQ(dims(2, {50, 50}), (std::vector{2, 1}));
}

TEST(ChooseDims, UsesAsManyRanksAsThereAreCells) {
  EXPECT_EQ(dims(8, {3}), (std::vector{3}));
  const auto chosen = dims(8, {2, 3});
  EXPECT_EQ(std::accumulate(chosen.begin(), chosen.end(), 1, std::multiplies<>()), 6);
}

TEST(Decomposition, IsReadFromText) {
  EXPECT_EQ(decomposition("rows"), Decomposition::rows);
  EXPECT_EQ(decomposition("blocks"), Decomposition::blocks);
  EXPECT_THROW(decomposition("columns"), Error);
}

TEST(IslandSpec, IsReadFromText) {
  for (const char* text : {"node", "numa", "1", "16"}) EXPECT_EQ(IslandSpec(text).str(), text);
  for (const char* text : {"", "0", "-2", "2x", "socket"})
    EXPECT_THROW(IslandSpec{text}, Error) << text;
}

TEST(BoundCores, AreSome) {
  EXPECT_FALSE(bound_cores().empty());
}

}  // namespace
