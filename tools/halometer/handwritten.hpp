#pragma once
// Yardsticks: what a skilled programmer writes by hand for one grid, or for lists of indices.
// Nothing of the library's exchanges is in them; they take the cells from the pattern and the
// memory from Array.

#include "exchange_work.hpp"

namespace halometer {

/// The names of the yardsticks, in place of a scheme's.
inline constexpr const char* handwritten_messages = "handwritten:p2p";
inline constexpr const char* handwritten_copy = "handwritten:shm";

/// A loop of MPI_Irecv, packing and MPI_Isend for each neighbour, copies of what stays on the rank,
/// and MPI_Waitany with unpacking.
std::unique_ptr<Work> make_handwritten_messages(MPI_Comm comm, const halocline::Pattern& pattern,
                                                std::size_t elements, Rewrite rewrite, Rows owned);

/// Copies from the neighbours' shared memory between two flags of each rank: "may be read" and
/// "have read". Throws halocline::Error unless all neighbours share memory.
std::unique_ptr<Work> make_handwritten_copy(MPI_Comm comm, const halocline::Pattern& pattern,
                                            std::size_t elements, Rewrite rewrite, Rows owned);

}  // namespace halometer
