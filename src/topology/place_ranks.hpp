#pragma once
// Which part each rank takes, found by rank 0 for all: it alone holds what is of all ranks, and
// only until they know.

#include <halocline/island.hpp>
#include <halocline/more/placement.hpp>

#include <mpi.h>

#include <vector>

namespace halocline {

/// What one rank needs to know of a Placement.
struct PlacedRank {
  std::vector<int> dims;  ///< empty if no grid fits
  int part = 0;           ///< its own
  int taker = 0;          ///< the rank that has the part of its own number
};

/// By `best_placement` on the machine that the ranks run on. Collective.
PlacedRank place_ranks(MPI_Comm comm, const CutCosts& costs, const IslandSpec& nodes = {});

}  // namespace halocline
