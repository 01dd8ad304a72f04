#pragma once
// All ranks at one file of numbers: each has its own tiles there, a slab at a time.

#include "matrices.hpp"

#include <frame/shared_file.hpp>
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

/// Calls `act(number of the file, number of the slab, numbers)` for the lines of a slab, which
/// follow each other in the slab and are apart in the file.
template <class Act>
void for_lines(const Spread& matrix, const Slab& slab, bool by_columns, Act&& act) {
  const auto& [rows, columns] = slab.box;
  const Range major = by_columns ? columns : rows, minor = by_columns ? rows : columns;
  const std::int64_t length = by_columns ? matrix.rows : matrix.columns;
  for (std::int64_t i = 0; i < major.size(); ++i)
    act((major.begin + i) * length + minor.begin, i * minor.size(), minor.size());
}

/// `act(slab or null)` as often on all ranks as the one with most slabs needs.
template <class Act>
void together(MPI_Comm comm, const std::vector<Slab>& slabs, Act&& act) {
  std::int64_t most = static_cast<std::int64_t>(slabs.size());
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, comm);
  for (std::size_t i = 0; i < static_cast<std::size_t>(most); ++i)
    act(i < slabs.size() ? &slabs[i] : nullptr);
}

}  // namespace matmul
