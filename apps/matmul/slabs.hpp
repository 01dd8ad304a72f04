#pragma once
// All ranks at one file of numbers: each sees its own tiles, a slab at a time.

#include "matrices.hpp"

#include <frame/mpi_file.hpp>
#include <halocline/more/mpi.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace matmul {

/// Some whole rows of a tile, or columns if the file has columns one after the other: few enough
/// for a message of MPI.
struct Slab {
  const Tile* tile;
  Box box;
};

/// Those of this rank's tiles, in messages of 32 MiB at most if numbers take so many bytes.
std::vector<Slab> slabs_of(const Spread& matrix, bool by_columns, std::size_t number_bytes);

/// Calls `act(number in the tile, index)` for a slab in the file's order.
template <class Act>
void in_file_order(const Slab& slab, double* data, bool by_columns, Act&& act) {
  const Box& all = slab.tile->box;
  const Range major = by_columns ? slab.box.columns : slab.box.rows;
  const Range minor = by_columns ? slab.box.rows : slab.box.columns;
  std::size_t index = 0;
  for (std::int64_t i = major.begin; i < major.end; ++i)
    for (std::int64_t j = minor.begin; j < minor.end; ++j) {
      const std::int64_t row = by_columns ? j : i, column = by_columns ? i : j;
      const std::int64_t at =
          (row - all.rows.begin) * all.columns.size() + column - all.columns.begin;
      act(data[slab.tile->at + static_cast<std::size_t>(at)], index++);
    }
}

/// Shows this rank only its slab of a file whose numbers, of type `number`, begin at `begin`.
/// Collective.
void show(const frame::File& file, std::int64_t begin, MPI_Datatype number, const Spread& matrix,
          const Slab* slab, bool by_columns);

/// `act(slab or null)` as often on all ranks as the one with most slabs needs.
template <class Act>
void together(MPI_Comm comm, const std::vector<Slab>& slabs, Act&& act) {
  std::int64_t most = static_cast<std::int64_t>(slabs.size());
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, comm);
  for (std::size_t i = 0; i < static_cast<std::size_t>(most); ++i)
    act(i < slabs.size() ? &slabs[i] : nullptr);
}

}  // namespace matmul
