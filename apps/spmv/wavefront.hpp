#pragma once
// The order in which sweeps take the pieces of a matrix, so that what one has written is read by
// the next before caches have forgotten it. A sweep may take a piece as soon as the one before has
// taken all that it reads.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace spmv {

/// For each piece: those that read it or are read by it, itself among them.
using Neighbours = std::vector<std::vector<std::int32_t>>;

struct Visit {
  std::int32_t piece;
  int sweep;             ///< from 0 on
  std::ptrdiff_t after;  ///< visits which the thread before must have done
};

/// What each thread does: some sweeps that follow each other, behind the thread before. The first
/// sweep takes the pieces in this order; each of the others goes on wherever it can, the farthest
/// first.
std::vector<std::vector<Visit>> wavefront(const Neighbours& neighbours,
                                          std::span<const std::int32_t> order, int sweeps,
                                          int threads);

}  // namespace spmv
