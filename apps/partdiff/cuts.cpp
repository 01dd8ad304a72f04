#include "cuts.hpp"

#include <algorithm>

namespace partdiff {

using namespace halocline;

namespace {

struct Parts {
  std::vector<int> dims;
  std::int64_t least;  ///< rows or columns of the thinnest rank along the axes that are cut
};

Parts parts_of(int ranks, const Problem& problem, const Settings& settings) {
  const std::vector<std::int64_t> all = cells(problem);
  Parts parts{
      choose_dims(ranks, all, settings.decomposition, {HaloWidth(1), HaloWidth(1)}, {false, false}),
      all[0]};
  for (const int along : parts.dims) parts.least = std::min(parts.least, all[0] / along);
  return parts;
}

}  // namespace

std::vector<std::int64_t> cells(const Problem& problem) {
  return {problem.intervals() - 1, problem.intervals() - 1};
}

int jacobi_depth(int ranks, const Problem& problem, const Settings& settings) {
  if (settings.style) return 1;
  if (settings.halo_depth != 0) return settings.halo_depth;
  if (ranks == 1) return widest;
  if (settings.scheme.reads_in_place()) return 1;  // there is no halo to compute on
  return flight(parts_of(ranks, problem, settings).least);
}

int gauss_seidel_depth(int ranks, const Problem& problem, const Settings& settings) {
  if (settings.halo_depth != 0) return settings.halo_depth;
  const Parts parts = parts_of(ranks, problem, settings);
  const bool deep = ranks == 1 || (parts.dims[1] == 1 && parts.least >= least_rows_in_flight() &&
                                   !settings.scheme.reads_in_place());
  return deep ? widest : 1;
}

GridOptions jacobi_options(const Settings& settings) {
  // Rows have no neighbour to the left or right: there the halo is only the boundary.
  return {.corners = false, .decomposition = settings.decomposition};
}

GridOptions deep_jacobi_options(int ranks, const Settings& settings) {
  GridOptions options{.decomposition = settings.decomposition};
  options.halos.assign(2, HaloWidth(settings.halo_depth));
  // Rows have no neighbour to the left or right: there the halo is only the boundary.
  if (settings.decomposition == Decomposition::rows) options.halos[1] = HaloWidth(1);
  // One rank has no neighbours at all.
  if (ranks == 1) options.halos[0] = options.halos[1] = HaloWidth(1);
  return options;
}

GridOptions gauss_seidel_options(int ranks, const Settings& settings) {
  GridOptions options{.corners = false, .decomposition = settings.decomposition};
  if (settings.halo_depth > 1) {
    // Only with ranks in one column; blocks are that, too, if there are few of them.
    options.decomposition = Decomposition::rows;
    if (ranks > 1) options.halos = {HaloWidth(rows_taken_over, 1), HaloWidth(1)};
  }
  return options;
}

Range rows_in_flight(const GridCut& cut, int coordinate) {
  // A rank's first row, in whole bands from the top, is one that the rank before owns.
  const auto first = [&](int c) -> std::int64_t {
    if (c == 0) return 0;
    if (c == cut.dims()[0]) return cut.cells()[0];
    return (cut.owned_by(0, c - 1).end - 1) / band_rows * band_rows;
  };
  return {first(coordinate), first(coordinate + 1)};
}

std::int64_t first_rows_in_flight(const Range& computed, const Range& owned, int sweeps) {
  const std::int64_t rows = owned.begin - computed.begin + sweeps - 1;
  return (rows + band_rows - 1) / band_rows * band_rows;
}

}  // namespace partdiff
