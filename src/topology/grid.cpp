#include "mpi/made_together.hpp"
#include "mpi/own.hpp"
#include "place_ranks.hpp"

#include <halocline/grid.hpp>
#include <halocline/more/mpi.hpp>

#include <numeric>
#include <utility>

namespace halocline {

namespace {

GridCut cut_for(MPI_Comm comm, std::vector<std::int64_t> cells, GridOptions options) {
  options.renumber = false;
  return {mpi::size(comm), std::move(cells), std::move(options)};
}

}  // namespace

Grid::Grid(MPI_Comm comm, std::vector<std::int64_t> cells, GridOptions options)
    : comm_(comm),
      given_(comm),
      reader_(mpi::rank(comm)),
      options_(std::move(options)),
      cut_(cut_for(comm, std::move(cells), options_)) {
  if (options_.renumber) renumber();
  options_.halos = cut_.options().halos;
  options_.periodic = cut_.options().periodic;
  me_ = mpi::rank(comm_);
  coordinates_ = cut_.coordinates(me_);
}

void Grid::renumber() {
  const bool free = options_.dims.empty() && options_.cuts.empty() &&
                    options_.decomposition == Decomposition::blocks;
  const GridOptions& cut = cut_.options();
  CutCosts costs = Mesh{cells(), cut.halos, cut.periodic}.costs();
  if (!free) costs.fixed = dims();
  const PlacedRank placed = place_ranks(given_, costs, IslandSpec(options_.nodes));
  if (placed.dims.empty()) return;
  GridOptions chosen = cut;
  chosen.dims = placed.dims;
  cut_ = GridCut(cut_.ranks(), cells(), std::move(chosen));
  MPI_Comm raw = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_split, mpi::talks_on(given_), 0, placed.part, &raw);
  renumbered_ = mpi::ended_together(
      given_, std::make_shared<mpi::Comm>(mpi::made_of(mpi::talks_on(given_), raw)));
  comm_ = *renumbered_;
  reader_ = placed.taker;
}

std::size_t Grid::moved_bytes(std::size_t sent) const {
  std::uint64_t out = sent, in = 0;
  HALOCLINE_MPI(MPI_Sendrecv, &out, 1, MPI_UINT64_T, reader_, detail::tag_of_moved, &in, 1,
                MPI_UINT64_T, mpi::rank(comm_), detail::tag_of_moved, mpi::talks_on(given_),
                MPI_STATUS_IGNORE);
  return in;
}

void Grid::move_bytes(std::span<const std::byte> from, std::span<std::byte> to) const {
  const mpi::Bytes out(from.size()), in(to.size());
  HALOCLINE_MPI(MPI_Sendrecv, from.data(), out.count(), out.type(), reader_, detail::tag_of_moved,
                to.data(), in.count(), in.type(), mpi::rank(comm_), detail::tag_of_moved,
                mpi::talks_on(given_), MPI_STATUS_IGNORE);
}

Distribution Grid::distribution(MPI_Comm numbered) const {
  if (numbered == comm_) return cut_.distribution();
  std::vector<int> ranks(static_cast<std::size_t>(cut_.parts()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return cut_.distribution(mpi::translate(comm_, ranks, numbered));
}

Grid Grid::faces(int axis) const {
  Grid faces = *this;
  faces.cut_ = cut_.faces(axis);
  faces.options_.dims = faces.cut_.options().dims;
  faces.options_.cuts = faces.cut_.options().cuts;
  return faces;
}

int Grid::neighbour(const std::vector<int>& offset) const {
  const int rank = cut_.neighbour(me_, offset);
  return rank < 0 ? MPI_PROC_NULL : rank;
}

}  // namespace halocline
