#pragma once
// What a rank needs of x that others own.

#include "matrix.hpp"

#include <halocline/pattern.hpp>

namespace spmv {

/// The numbering of x on a rank: its own elements, then those of other ranks that its rows need, by
/// their global index, which is by owners, too: each message is received in one piece.
struct Halo {
  Range own;                          ///< by global index
  std::vector<std::int64_t> outside;  ///< global indices of the others, ascending
  /// What ranks send each other. Blocks are the same on both sides of a link: runs of elements.
  halocline::Pattern pattern;

  std::int64_t elements() const noexcept { return own.size() + std::ssize(outside); }
  bool owns(std::int64_t column) const noexcept { return column >= own.begin && column < own.end; }
  /// Where an element is, by its global index.
  std::int64_t place(std::int64_t column) const;
};

/// What the rows need of x from each other rank: global indices, ascending, by owners. `own` is
/// this rank's part of x, and `ends` says where each rank's ends. Arithmetic only.
std::vector<std::vector<std::int64_t>> wanted_of(const Matrix& matrix, const Range& own,
                                                 const std::vector<std::int64_t>& ends);

/// Whether a row, counted from the rank's first, needs its own part of x alone.
bool needs_nobody(const Matrix& matrix, std::size_t row, const Range& own);

/// Collective.
Halo halo_of(MPI_Comm comm, const Matrix& matrix);

}  // namespace spmv
