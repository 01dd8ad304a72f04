// Grids: whose cells are whose, and what a halo's links carry, against global index arithmetic.

#include "common/complaint.hpp"

#include <halocline/environment.hpp>
#include <halocline/grid.hpp>
#include <halocline/more/mpi.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <sstream>

using namespace halocline;

namespace {

using Cell = std::array<std::int64_t, 3>;

struct Shape {
  std::vector<std::int64_t> cells;
  GridOptions options;
};

/// The same on all ranks.
Shape random_shape(std::mt19937& engine) {
  const auto roll = [&](int low, int high) {
    return std::uniform_int_distribution(low, high)(engine);
  };
  Shape shape;
  for (int axes = roll(1, 5), axis = 0; axis < axes; ++axis) {
    shape.cells.push_back(roll(1, axes > 3 ? 5 : 12));
    shape.options.halos.push_back({roll(0, 3), roll(0, 3)});
    shape.options.periodic.push_back(roll(0, 1) == 1);
  }
  shape.options.corners = roll(0, 1) == 1;
  shape.options.decomposition = roll(0, 1) ? Decomposition::rows : Decomposition::blocks;
  if (roll(0, 1) == 0) return shape;
  // Some axes are cut anywhere, as many ranks as there are at most.
  shape.options.cuts.resize(shape.cells.size());
  int parts = 1;
  for (std::size_t axis = 0; axis < shape.cells.size(); ++axis) {
    if (roll(0, 2) == 0) continue;
    auto& cuts = shape.options.cuts[axis];
    cuts = {0};
    while (parts * static_cast<int>(cuts.size() + 1) <= mpi::size(world()) && roll(0, 2) > 0) {
      const std::int64_t next = cuts.back() + roll(1, 4);
      if (next < shape.cells[axis]) cuts.push_back(next);
    }
    parts *= static_cast<int>(cuts.size());
    cuts.push_back(shape.cells[axis]);
  }
  return shape;
}

std::uint64_t id(const Grid& grid, const std::vector<std::int64_t>& cell) {
  std::uint64_t id = 0;
  for (std::size_t axis = 0; axis < cell.size(); ++axis) {
    const std::int64_t count = grid.cells()[axis];
    id = id * static_cast<std::uint64_t>(count) +
         static_cast<std::uint64_t>((cell[axis] + count) % count);
  }
  return id;
}

/// The global cell of a local element.
std::vector<std::int64_t> cell_of(const Grid& grid, std::int64_t element) {
  std::vector<std::int64_t> cell(static_cast<std::size_t>(grid.axes()));
  for (int axis = grid.axes(); axis-- > 0;) {
    cell[static_cast<std::size_t>(axis)] =
        element % grid.local(axis) - grid.width(axis).below + grid.owned(axis).begin;
    element /= grid.local(axis);
  }
  return cell;
}

/// Along how many axes does the element lie in the halo; -1 if there is no such cell.
int halo_axes(const Grid& grid, std::int64_t element) {
  const auto cell = cell_of(grid, element);
  int axes = 0;
  for (int axis = 0; axis < grid.axes(); ++axis) {
    const auto at = cell[static_cast<std::size_t>(axis)];
    if (!grid.periodic(axis) && (at < 0 || at >= grid.cells()[static_cast<std::size_t>(axis)]))
      return -1;
    axes += at < grid.owned(axis).begin || at >= grid.owned(axis).end;
  }
  return axes;
}

std::vector<std::int64_t> elements(const Link& link) {
  std::vector<std::int64_t> list;
  for (const Block& block : link.blocks)
    for (std::size_t plane = 0; plane < block.count[0]; ++plane)
      for (std::size_t row = 0; row < block.count[1]; ++row)
        for (std::size_t i = 0; i < block.count[2]; ++i)
          list.push_back(block.offset + static_cast<std::int64_t>(plane) * block.stride[0] +
                         static_cast<std::int64_t>(row) * block.stride[1] +
                         static_cast<std::int64_t>(i));
  return list;
}

/// Sends the ids of all cells along the links and notes what arrives at each element.
void carry_ids(const Grid& grid, const Pattern& pattern,
               std::map<std::int64_t, std::uint64_t>& arrived, bool& twice) {
  const auto note = [&](std::int64_t element, std::uint64_t id) {
    twice = !arrived.emplace(element, id).second || twice;
  };
  std::vector<std::vector<std::uint64_t>> out, in;
  std::vector<MPI_Request> requests;
  for (const Link& link : pattern.receives()) in.emplace_back(link.size());
  for (std::size_t i = 0; i < in.size(); ++i)
    MPI_Irecv(in[i].data(), static_cast<int>(in[i].size()), MPI_UINT64_T,
              pattern.receives()[i].peer, 0, grid.comm(), &requests.emplace_back());
  for (const Link& link : pattern.sends()) {
    auto& ids = out.emplace_back();
    for (auto element : elements(link)) ids.push_back(id(grid, cell_of(grid, element)));
  }
  for (std::size_t i = 0; i < out.size(); ++i)
    MPI_Isend(out[i].data(), static_cast<int>(out[i].size()), MPI_UINT64_T, pattern.sends()[i].peer,
              0, grid.comm(), &requests.emplace_back());
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);

  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto where = elements(pattern.receives()[i]);
    for (std::size_t e = 0; e < where.size(); ++e) note(where[e], in[i][e]);
  }
  const auto from = elements(pattern.copies_from()), to = elements(pattern.copies_to());
  for (std::size_t e = 0; e < to.size(); ++e) note(to[e], id(grid, cell_of(grid, from[e])));
}

TEST(Grid, EveryCellHasOneOwner) {
  std::mt19937 engine(7);
  for (int i = 0; i < 100; ++i) {
    Shape shape = random_shape(engine);
    shape.options.halos.clear();
    shape.options.halo = 0;
    const Grid grid(world(), shape.cells, shape.options);
    const auto all = std::accumulate(shape.cells.begin(), shape.cells.end(), std::int64_t{1},
                                     std::multiplies<>());
    std::vector<int> owners(static_cast<std::size_t>(all), 0);
    for (std::size_t e = 0; e < grid.elements(); ++e)
      ++owners[id(grid, cell_of(grid, static_cast<std::int64_t>(e)))];
    MPI_Allreduce(MPI_IN_PLACE, owners.data(), static_cast<int>(all), MPI_INT, MPI_SUM, world());
    EXPECT_EQ(owners, std::vector<int>(static_cast<std::size_t>(all), 1));
  }
}

TEST(Grid, HaloBringsEveryCellToItsPlaceOnce) {
  std::mt19937 engine(11);
  int tried = 0;
  for (int i = 0; i < 400; ++i) {
    const Shape shape = random_shape(engine);
    std::optional<Grid> grid;
    try {
      grid.emplace(world(), shape.cells, shape.options);
    } catch (const Error&) {
      continue;  // too wide; all ranks think so
    }
    ++tried;
    std::map<std::int64_t, std::uint64_t> arrived;
    bool twice = false;
    carry_ids(*grid, grid->halo(), arrived, twice);
    EXPECT_FALSE(twice);
    for (std::size_t e = 0; e < grid->elements(); ++e) {
      const auto element = static_cast<std::int64_t>(e);
      const int axes = halo_axes(*grid, element);
      const auto found = arrived.find(element);
      const bool wanted = axes == 1 || (axes > 1 && shape.options.corners);
      ASSERT_EQ(found != arrived.end(), wanted) << "element " << e << " of shape " << i;
      if (wanted) {
        ASSERT_EQ(found->second, id(*grid, cell_of(*grid, element)))
            << "element " << e << " of shape " << i;
      }
    }
  }
  EXPECT_GT(tried, 50);
}

/// The message of the Error that a grid throws.
std::string refusal(std::vector<std::int64_t> cells, GridOptions options) {
  return complaint([&] { Grid(world(), std::move(cells), std::move(options)); });
}

std::string text_of(const Pattern& pattern) {
  std::ostringstream text;
  text << pattern;
  for (const Pattern& stage : pattern.stages()) text << "stage " << stage;
  return text.str();
}

/// What this text is on each rank. Collective.
std::vector<std::string> on_all(const std::string& mine) {
  const int ranks = mpi::size(world());
  int size = static_cast<int>(mine.size());
  std::vector<int> sizes(static_cast<std::size_t>(ranks)), begins(sizes.size());
  MPI_Allgather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, world());
  std::exclusive_scan(sizes.begin(), sizes.end(), begins.begin(), 0);
  std::string all(static_cast<std::size_t>(begins.back() + sizes.back()), ' ');
  MPI_Allgatherv(mine.data(), size, MPI_CHAR, all.data(), sizes.data(), begins.data(), MPI_CHAR,
                 world());
  std::vector<std::string> texts;
  for (std::size_t r = 0; r < sizes.size(); ++r)
    texts.push_back(
        all.substr(static_cast<std::size_t>(begins[r]), static_cast<std::size_t>(sizes[r])));
  return texts;
}

TEST(Grid, ItsCutKnowsThePatternOfEveryRank) {
  std::mt19937 engine(13);
  int tried = 0;
  for (int i = 0; i < 100; ++i) {
    const Shape shape = random_shape(engine);
    std::optional<GridCut> cut;
    try {
      cut.emplace(mpi::size(world()), shape.cells, shape.options);
    } catch (const Error& error) {
      EXPECT_EQ(refusal(shape.cells, shape.options), error.what());
      continue;
    }
    ++tried;
    const std::vector<std::string> halos =
        on_all(text_of(Grid(world(), shape.cells, shape.options).halo()));
    for (int rank = 0; rank < cut->ranks(); ++rank)
      ASSERT_EQ(text_of(cut->halo(rank)), halos[static_cast<std::size_t>(rank)])
          << "rank " << rank << " of shape " << i;
  }
  EXPECT_GT(tried, 10);
}

TEST(Grid, SendsWithinASelfNeighbourStayHere) {
  const int ranks = mpi::size(world());
  const Grid grid(world(), {std::int64_t{4} * ranks, 5},
                  {.periodic = {false, true}, .corners = false, .dims = {ranks, 1}});
  EXPECT_EQ(grid.halo().copies_to().size(), 8u);
  const Pattern halo = grid.halo();
  for (const Link& link : halo.sends()) EXPECT_NE(link.peer, mpi::rank(world()));
}

TEST(Grid, RanksBeyondTheCellsAreIdle) {
  const Grid grid(world(), {2}, {.halo = 1});
  EXPECT_EQ(grid.idle(), mpi::rank(world()) >= 2);
  if (grid.idle()) {
    EXPECT_EQ(grid.elements(), 0u);
    EXPECT_TRUE(grid.halo().empty());
    EXPECT_EQ(grid.owned(0).begin, 0);
    EXPECT_EQ(grid.owned(0).end, 0);
    EXPECT_EQ(grid.local(0), 0);
    EXPECT_EQ(grid.neighbour({1}), MPI_PROC_NULL);
    EXPECT_TRUE(grid.coordinates().empty());
  }
  EXPECT_EQ(grid.owned_by(0, 0).begin, 0);
  EXPECT_EQ(grid.width(0).below, 1);
  EXPECT_FALSE(grid.periodic(0));
}

TEST(Grid, HasNoOtherAxesThanItsOwn) {
  const Grid grid(world(), {40, 30}, {.dims = {1, 1}});
  for (const int axis : {-1, 2, 7}) {
    EXPECT_THROW(grid.owned(axis), Error);
    EXPECT_THROW(grid.local(axis), Error);
    EXPECT_THROW(grid.width(axis), Error);
    EXPECT_THROW(grid.periodic(axis), Error);
    EXPECT_THROW(grid.owned_by(axis, 0), Error);
  }
  EXPECT_THROW(grid.owned_by(0, 1), Error);
  EXPECT_THROW(grid.owned_by(0, -1), Error);
  EXPECT_THROW(grid.neighbour({1}), Error);
  EXPECT_THROW(grid.neighbour({0, 0, 1}), Error);
}

TEST(Grid, HasStagesThatReachAllByTwoMessagesEach) {
  const GridOptions periodic{.halo = 1, .periodic = {true, true, true}};
  const Grid grid(world(), {16, 16, 16}, periodic);
  const std::vector<Pattern> stages = grid.halo().stages();
  ASSERT_EQ(stages.size(), 3U);
  std::size_t cells = 0;
  for (const Pattern& stage : stages) {
    EXPECT_LE(stage.sends().size(), 2U);
    EXPECT_LE(stage.receives().size(), 2U);
    for (const Link& link : stage.receives()) cells += link.size();
    cells += stage.copies_to().size();
  }
  // Every cell of the halo once.
  EXPECT_EQ(cells,
            grid.elements() - static_cast<std::size_t>(grid.owned(0).size() * grid.owned(1).size() *
                                                       grid.owned(2).size()));
  EXPECT_TRUE(Grid(world(), {16, 16}, {.corners = false}).halo().stages().empty());
  EXPECT_TRUE(Grid(world(), {16}, {}).halo().stages().empty());
}

TEST(Grid, TakesCutsOfTheCaller) {
  const int ranks = mpi::size(world());
  std::vector<std::int64_t> cuts{0};
  for (int rank = 0; rank < ranks; ++rank) cuts.push_back(cuts.back() + 2 + 3 * rank);
  const Grid grid(world(), {cuts.back(), 5}, {.cuts = {cuts, {}}});
  EXPECT_EQ(grid.dims(), (std::vector{ranks, 1}));
  EXPECT_EQ(grid.owned(0).size(), 2 + 3 * mpi::rank(world()));
  EXPECT_EQ(grid.distribution().elements(mpi::rank(world())), grid.elements());
  const auto refused = [&](std::vector<std::int64_t> along, GridOptions options = {}) {
    options.cuts = {std::move(along)};
    return refusal({9}, options);
  };
  EXPECT_EQ(refused({0, 8}), "grid 9: the cuts along axis 0 must ascend from 0 to its 9 cells");
  EXPECT_EQ(refused({0, 4, 4, 9}),
            "grid 9: the cuts along axis 0 must ascend from 0 to its 9 cells, but 4 follows 4");
  EXPECT_EQ(refused({0, 9}, {.dims = {2}}), "grid 9: axis 0 has cuts into 1 parts, but dims say 2");
  EXPECT_NE(refusal({9, 9}, {.cuts = {{0, 9}}}), "");
  EXPECT_NE(refused({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), "");
}

TEST(Grid, HasFacesBetweenItsCells) {
  const int ranks = mpi::size(world());
  const Grid cells(world(), {std::int64_t{3} * ranks, 4}, {.periodic = {false, true}});
  const Grid above = cells.faces(0), beside = cells.faces(1);
  EXPECT_EQ(above.cells(), (std::vector<std::int64_t>{3 * ranks + 1, 4}));
  EXPECT_EQ(beside.cells(), cells.cells());  // the last face of a period is the first
  EXPECT_EQ(above.dims(), cells.dims());
  for (int axis : {0, 1}) EXPECT_EQ(above.owned(axis).begin, cells.owned(axis).begin);
  const bool last = cells.owned(0).end == cells.cells()[0];
  EXPECT_EQ(above.owned(0).end, cells.owned(0).end + (last ? 1 : 0));
  EXPECT_THROW(cells.faces(2), Error);
}

TEST(Grid, RefusesAHaloWiderThanTheSubdomain) {
  const std::int64_t ranks = mpi::size(world());
  EXPECT_EQ(refusal({3 * ranks}, {.halo = 3}), "");
  if (ranks > 1) {
    EXPECT_EQ(refusal({3 * ranks}, {.halo = 4}),
              "grid " + std::to_string(3 * ranks) +
                  ": the halo is 4 wide along axis 0, but the smallest subdomain "
                  "has only 3 cells there (" +
                  std::to_string(ranks) + " parts); use fewer ranks or a narrower halo");
  }
  EXPECT_NE(refusal({3}, {.halo = 4, .periodic = {true}, .dims = {1}}), "");
}

TEST(Grid, RefusesWhatIsNoGrid) {
  EXPECT_NE(refusal({}, {}), "");
  EXPECT_NE(refusal({1, 1, 1, 1, 1, 1}, {}), "");
  EXPECT_NE(refusal({4, 0}, {}), "");
  EXPECT_NE(refusal({4, 4}, {.halos = {HaloWidth(1)}}), "");
  EXPECT_NE(refusal({4, 4}, {.halo = -1}), "");
  EXPECT_NE(refusal({100}, {.dims = {mpi::size(world()) + 1}}), "");
}

/// Islands of two ranks that take turns, as where a launcher deals ranks to nodes like cards.
Grid renumbered(const mpi::Comm& comm, std::vector<std::int64_t> cells, GridOptions options = {}) {
  options.renumber = true;
  options.nodes = "2";
  return Grid(comm, std::move(cells), options);
}

TEST(Grid, RenumberedKeepsTheRanksOfANodeTogether) {
  // Even ranks of the world first, then odd ones: no two neighbours are of one island.
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  MPI_Comm raw = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_split, world(), 0, me % 2 * ranks + me, &raw);
  const mpi::Comm dealt(raw);
  const Grid grid = renumbered(dealt, {100, 10});
  ASSERT_EQ(grid.dims(), (std::vector{ranks, 1}));
  EXPECT_EQ(grid.coordinates()[0], mpi::rank(grid.comm()));
  std::vector<int> worlds(static_cast<std::size_t>(ranks));
  HALOCLINE_MPI(MPI_Allgather, &me, 1, MPI_INT, worlds.data(), 1, MPI_INT, grid.comm());
  int cuts = 0;
  for (std::size_t i = 1; i < worlds.size(); ++i) cuts += worlds[i] / 2 != worlds[i - 1] / 2;
  EXPECT_EQ(cuts, (ranks - 1) / 2);
}

TEST(Grid, RenumberedMovesWhatWasRead) {
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  MPI_Comm raw = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_split, world(), 0, me % 2 * ranks + me, &raw);
  const mpi::Comm dealt(raw);
  const Grid grid = renumbered(dealt, {100, 10});
  // As long as the rank says, so that sizes travel, too; of rank 0 nothing.
  const int before = mpi::rank(dealt), after = mpi::rank(grid.comm());
  const std::vector<int> mine =
      grid.moved(std::vector<int>(static_cast<std::size_t>(before), before));
  EXPECT_EQ(mine, std::vector<int>(static_cast<std::size_t>(after), after));
}

TEST(Grid, RenumberedKeepsRowsAndIdleRanks) {
  const mpi::Comm comm = mpi::Comm::duplicate(world());
  const int ranks = mpi::size(comm);
  GridOptions rows{.decomposition = Decomposition::rows};
  EXPECT_EQ(renumbered(comm, {100, 5000}, rows).dims(), (std::vector{ranks, 1}));
  const Grid few = renumbered(comm, {3});
  EXPECT_EQ(few.idle(), mpi::rank(few.comm()) >= 3);
  EXPECT_NE(refusal({100}, {.dims = {ranks + 1}, .renumber = true}), "");
  // Not renumbered: what is read stays where it is.
  EXPECT_EQ(Grid(comm, {100}).moved(std::vector{ranks, mpi::rank(comm)}),
            (std::vector{ranks, mpi::rank(comm)}));
}

}  // namespace
