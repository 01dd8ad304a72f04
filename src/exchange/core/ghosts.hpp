#pragma once
// Rows that are spread over ranks in pieces of any lengths, one after the other: who has those that
// a rank needs of others. No rank knows where all pieces begin. Of as many rows as there would be
// if all had the same, each rank keeps who has them, and is asked (A. H. Baker, R. D. Falgout, U.
// M. Yang: An assumed partition algorithm for determining processor inter-communication, Parallel
// Computing 32, 2006).

#include <halocline/pattern.hpp>
#include <halocline/range.hpp>

#include <mpi.h>

#include <cstdint>
#include <span>

#pragma GCC visibility push(default)  // Python's module has it

namespace halocline::detail {

struct RowsOfRank {
  Range mine;        ///< among those of all ranks
  std::int64_t all;  ///< of all ranks together
};
/// The rows of a rank that has so many, among those of all ranks. Collective.
RowsOfRank rows_of_rank(MPI_Comm comm, std::int64_t rows);

/// Element i < `rows` of the local array is row i of this rank, and element `rows` + j is row
/// `ghosts[j]` of all, which is another rank's; these ascend. Collective. Throws the same Error on
/// all ranks if one asks for a row that there is not.
Pattern ghost_pattern(MPI_Comm comm, std::int64_t rows, std::span<const std::int64_t> ghosts);

}  // namespace halocline::detail

#pragma GCC visibility pop
