#pragma once
// What one rank does and holds that grows with the number of ranks, if anything does: messages,
// calls that concern all ranks of a communicator, objects of MPI, and the library's own memory.
// Calls of MPI are counted by its profiling interface, memory where it is allocated: MPI's own is
// not.

#include <array>
#include <cstdint>
#include <functional>

namespace counted {

enum Count {
  messages,    ///< to other ranks: sent, put, got
  bytes,       ///< of these
  peers,       ///< ranks that any of these went to
  reductions,  ///< all-reduces and sums of the ranks before
  broadcasts,  ///< and scatters
  barriers,
  largest_reduced,   ///< bytes that one reduction or broadcast brings to a rank, the most
  gathers,           ///< calls that leave something of each rank: gathers, all-to-alls
  largest_gathered,  ///< bytes that one of them takes on this rank
  communicators,     ///< made
  windows,
  allocated,  ///< bytes, all together
  peak,       ///< bytes that were in use at once, besides those before
  largest,    ///< bytes of one allocation
  number_of_counts
};
inline constexpr std::array<const char*, number_of_counts> names{
    "messages", "bytes",           "peers",   "reductions",       "broadcasts",
    "barriers", "largest_reduced", "gathers", "largest_gathered", "communicators",
    "windows",  "allocated",       "peak",    "largest"};

using Counts = std::array<std::int64_t, number_of_counts>;

/// From now on.
void begin();
/// Since then.
Counts now();

/// MPI says from now on that ranks of the world share a node where this is the same.
void pretend_nodes(std::function<int(int rank)> node);

}  // namespace counted
