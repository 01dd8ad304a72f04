// Cuts of grids, and grids on communicators.

#include "converted.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace halocline::c {

GridOptions options(const halocline_grid_options* options, std::size_t axes) {
  const halocline_grid_options from =
      known(options, halocline_grid_options HALOCLINE_GRID_OPTIONS, "HALOCLINE_GRID_OPTIONS");
  GridOptions to;
  const std::size_t there = std::min<std::size_t>(axes, HALOCLINE_MOST_AXES);
  for (std::size_t axis = 0; axis < there; ++axis) {
    to.halos.push_back(width(from.halo[axis]));
    to.periodic.push_back(from.periodic[axis] != 0);
    to.dims.push_back(from.dims[axis]);
    to.cuts.push_back(from.cuts[axis] == nullptr
                          ? std::vector<std::int64_t>()
                          : list<std::int64_t>(from.cuts[axis],
                                               size(from.cut_counts[axis], "cut_counts"), "cuts"));
  }
  // There are no more axes, as the constructor says then.
  to.halos.resize(axes), to.periodic.resize(axes);
  if (std::ranges::all_of(to.dims, [](int parts) { return parts == 0; }))
    to.dims.clear();
  else
    to.dims.resize(axes);
  if (std::ranges::all_of(to.cuts, [](const auto& cuts) { return cuts.empty(); }))
    to.cuts.clear();
  else
    to.cuts.resize(axes);
  to.corners = from.corners != 0;
  to.decomposition = kind(from.decomposition, 2, "decomposition") == HALOCLINE_ROWS
                         ? Decomposition::rows
                         : Decomposition::blocks;
  to.renumber = from.renumber != 0;
  if (from.nodes != nullptr) to.nodes = from.nodes;
  return to;
}

}  // namespace halocline::c

using namespace halocline;
using c::call, c::create, c::give, c::in;

namespace {

/// Rank r of a list for each part, which may be NULL.
std::vector<int> ranks_of_parts(const int* ranks, int parts) {
  return ranks == nullptr ? std::vector<int>()
                          : c::list<int>(ranks, static_cast<std::size_t>(parts), "ranks");
}

/// Those of a rank that has none are -1.
void write_coordinates(std::vector<int> at, int axes, int* coordinates) {
  at.resize(static_cast<std::size_t>(axes), -1);
  c::write(at, coordinates, "coordinates");
}

std::vector<int> offsets(const int* offset, int axes) {
  return c::list<int>(offset, static_cast<std::size_t>(axes), "offset");
}

}  // namespace

int halocline_part_of(int64_t cells, int parts, int index, halocline_range* range) {
  return give(__func__, range, "range", [&] {
    if (cells < 0) c::is_negative("cells", cells);
    if (parts < 1 || index < 0 || index >= parts)
      throw c::ArgumentError("there is no part " + std::to_string(index) + " of " +
                             std::to_string(parts));
    return c::range(part_of(cells, parts, index));
  });
}

int halocline_choose_dims(int ranks, int axes, const int64_t* cells,
                          const halocline_grid_options* options, int* dims) {
  return call(__func__, [&] {
    const std::size_t n = c::size(axes, "axes");
    c::write(
        GridCut(ranks, c::list<std::int64_t>(cells, n, "cells"), c::options(options, n)).dims(),
        dims, "dims");
  });
}

int halocline_cut_create(int ranks, int axes, const int64_t* cells,
                         const halocline_grid_options* options, halocline_cut** cut) {
  return create(__func__, cut, "cut", [&] {
    const std::size_t n = c::size(axes, "axes");
    return GridCut(ranks, c::list<std::int64_t>(cells, n, "cells"), c::options(options, n));
  });
}
int halocline_cut_free(halocline_cut** cut) {
  return c::end(cut);
}
int halocline_cut_ranks(const halocline_cut* cut, int* ranks) {
  return give(__func__, ranks, "ranks", [&] { return in(cut, "cut").ranks(); });
}
int halocline_cut_parts(const halocline_cut* cut, int* parts) {
  return give(__func__, parts, "parts", [&] { return in(cut, "cut").parts(); });
}
int halocline_cut_axes(const halocline_cut* cut, int* axes) {
  return give(__func__, axes, "axes", [&] { return in(cut, "cut").axes(); });
}
int halocline_cut_cells(const halocline_cut* cut, int64_t* cells) {
  return call(__func__, [&] { c::write(in(cut, "cut").cells(), cells, "cells"); });
}
int halocline_cut_dims(const halocline_cut* cut, int* dims) {
  return call(__func__, [&] { c::write(in(cut, "cut").dims(), dims, "dims"); });
}
int halocline_cut_width(const halocline_cut* cut, int axis, halocline_halo_width* width) {
  return give(__func__, width, "width", [&] { return c::width(in(cut, "cut").width(axis)); });
}
int halocline_cut_periodic(const halocline_cut* cut, int axis, int* periodic) {
  return give(__func__, periodic, "periodic", [&] { return in(cut, "cut").periodic(axis); });
}
int halocline_cut_idle(const halocline_cut* cut, int rank, int* idle) {
  return give(__func__, idle, "idle", [&] { return in(cut, "cut").idle(rank); });
}
int halocline_cut_coordinates(const halocline_cut* cut, int rank, int* coordinates) {
  return call(__func__, [&] {
    const GridCut& it = in(cut, "cut");
    write_coordinates(it.coordinates(rank), it.axes(), coordinates);
  });
}
int halocline_cut_owned(const halocline_cut* cut, int rank, int axis, halocline_range* cells) {
  return give(__func__, cells, "cells", [&] { return c::range(in(cut, "cut").owned(rank, axis)); });
}
int halocline_cut_owned_by(const halocline_cut* cut, int axis, int coordinate,
                           halocline_range* cells) {
  return give(__func__, cells, "cells",
              [&] { return c::range(in(cut, "cut").owned_by(axis, coordinate)); });
}
int halocline_cut_local(const halocline_cut* cut, int rank, int axis, int64_t* cells) {
  return give(__func__, cells, "cells", [&] { return in(cut, "cut").local(rank, axis); });
}
int halocline_cut_owned_cells(const halocline_cut* cut, int rank, int64_t* cells) {
  return give(__func__, cells, "cells", [&] { return in(cut, "cut").owned_cells(rank); });
}
int halocline_cut_elements(const halocline_cut* cut, int rank, int64_t* elements) {
  return give(__func__, elements, "elements", [&] { return in(cut, "cut").elements(rank); });
}
int halocline_cut_neighbour(const halocline_cut* cut, int rank, const int* offset, int* neighbour) {
  return give(__func__, neighbour, "neighbour", [&] {
    const GridCut& it = in(cut, "cut");
    return it.neighbour(rank, offsets(offset, it.axes()));
  });
}
int halocline_cut_halo(const halocline_cut* cut, int rank, halocline_pattern** pattern) {
  return create(__func__, pattern, "pattern", [&] { return in(cut, "cut").halo(rank); });
}
int halocline_cut_distribution(const halocline_cut* cut, const int* ranks,
                               halocline_distribution** distribution) {
  return create(__func__, distribution, "distribution", [&] {
    const GridCut& it = in(cut, "cut");
    return it.distribution(ranks_of_parts(ranks, it.parts()));
  });
}
int halocline_cut_faces(const halocline_cut* cut, int axis, halocline_cut** faces) {
  return create(__func__, faces, "faces", [&] { return in(cut, "cut").faces(axis); });
}

int halocline_grid_create(halocline_comm comm, int axes, const int64_t* cells,
                          const halocline_grid_options* options, halocline_grid** grid) {
  const auto prepare = [&] {
    const std::size_t n = c::size(axes, "axes");
    return std::pair(c::list<std::int64_t>(cells, n, "cells"), c::options(options, n));
  };
  const auto make = [&](const auto& given) {
    return Grid(c::comm_of(comm), given.first, given.second);
  };
  if (options != nullptr && options->renumber != 0)
    return c::create_on(__func__, c::comm_of(comm), grid, "grid", prepare, make);
  return create(__func__, grid, "grid", [&] { return make(prepare()); });
}
int halocline_grid_free(halocline_grid** grid) {
  return c::end(grid);
}
int halocline_grid_comm(const halocline_grid* grid, halocline_comm* comm) {
  return give(__func__, comm, "comm", [&] { return c::comm_of(in(grid, "grid").comm()); });
}
int halocline_grid_cut(const halocline_grid* grid, halocline_cut** cut) {
  return create(__func__, cut, "cut", [&] { return in(grid, "grid").cut(); });
}
int halocline_grid_axes(const halocline_grid* grid, int* axes) {
  return give(__func__, axes, "axes", [&] { return in(grid, "grid").axes(); });
}
int halocline_grid_cells(const halocline_grid* grid, int64_t* cells) {
  return call(__func__, [&] { c::write(in(grid, "grid").cells(), cells, "cells"); });
}
int halocline_grid_dims(const halocline_grid* grid, int* dims) {
  return call(__func__, [&] { c::write(in(grid, "grid").dims(), dims, "dims"); });
}
int halocline_grid_width(const halocline_grid* grid, int axis, halocline_halo_width* width) {
  return give(__func__, width, "width", [&] { return c::width(in(grid, "grid").width(axis)); });
}
int halocline_grid_periodic(const halocline_grid* grid, int axis, int* periodic) {
  return give(__func__, periodic, "periodic", [&] { return in(grid, "grid").periodic(axis); });
}
int halocline_grid_idle(const halocline_grid* grid, int* idle) {
  return give(__func__, idle, "idle", [&] { return in(grid, "grid").idle(); });
}
int halocline_grid_coordinates(const halocline_grid* grid, int* coordinates) {
  return call(__func__, [&] {
    const Grid& it = in(grid, "grid");
    write_coordinates(it.coordinates(), it.axes(), coordinates);
  });
}
int halocline_grid_owned(const halocline_grid* grid, int axis, halocline_range* cells) {
  return give(__func__, cells, "cells", [&] { return c::range(in(grid, "grid").owned(axis)); });
}
int halocline_grid_owned_by(const halocline_grid* grid, int axis, int coordinate,
                            halocline_range* cells) {
  return give(__func__, cells, "cells",
              [&] { return c::range(in(grid, "grid").owned_by(axis, coordinate)); });
}
int halocline_grid_local(const halocline_grid* grid, int axis, int64_t* cells) {
  return give(__func__, cells, "cells", [&] { return in(grid, "grid").local(axis); });
}
int halocline_grid_elements(const halocline_grid* grid, int64_t* elements) {
  return give(__func__, elements, "elements", [&] { return in(grid, "grid").elements(); });
}
int halocline_grid_neighbour(const halocline_grid* grid, const int* offset, int* neighbour) {
  return give(__func__, neighbour, "neighbour", [&] {
    const Grid& it = in(grid, "grid");
    return it.neighbour(offsets(offset, it.axes()));
  });
}
int halocline_grid_halo(const halocline_grid* grid, halocline_pattern** pattern) {
  return create(__func__, pattern, "pattern", [&] { return in(grid, "grid").halo(); });
}
int halocline_grid_distribution(const halocline_grid* grid, halocline_distribution** distribution) {
  return create(__func__, distribution, "distribution",
                [&] { return in(grid, "grid").distribution(); });
}
int halocline_grid_distribution_numbered(const halocline_grid* grid, halocline_comm numbered,
                                         halocline_distribution** distribution) {
  return create(__func__, distribution, "distribution",
                [&] { return in(grid, "grid").distribution(c::comm_of(numbered)); });
}
int halocline_grid_faces(const halocline_grid* grid, int axis, halocline_grid** faces) {
  return create(__func__, faces, "faces", [&] { return in(grid, "grid").faces(axis); });
}

int halocline_grid_moved(const halocline_grid* grid, const void* data, int64_t bytes, void** mine,
                         int64_t* mine_bytes) {
  const char* const function = __func__;  // not that of the lambda
  return call(function, [&] {
    const Grid& it = in(grid, "grid");
    const std::vector<std::byte> given = c::agreed(function, it.comm(), [&] {
      c::at(mine, "mine") = nullptr;
      c::at(mine_bytes, "mine_bytes") = 0;
      return c::list<std::byte>(static_cast<const std::byte*>(data), c::size(bytes, "bytes"),
                                "data");
    });
    const std::vector<std::byte> came = it.moved(given);
    *mine = std::malloc(std::max<std::size_t>(came.size(), 1));
    if (*mine == nullptr) throw std::bad_alloc();
    std::copy(came.begin(), came.end(), static_cast<std::byte*>(*mine));
    *mine_bytes = static_cast<std::int64_t>(came.size());
  });
}
