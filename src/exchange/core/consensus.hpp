#pragma once
// Who has something for me? Nonblocking consensus (T. Hoefler, C. Siebert, A. Lumsdaine: Scalable
// communication protocols for dynamic sparse data exchange, PPoPP 2010): a message to each rank
// concerned and one barrier, where an MPI_Alltoall would touch all pairs of ranks.

#include "commons.hpp"

#include <cstdint>
#include <map>

namespace halocline::detail {

/// Numbers by rank.
using Told = std::map<int, std::int64_t>;

/// Lists of numbers by rank.
using Lists = std::map<int, std::vector<std::int64_t>>;

/// Gives each rank in `mine` its number, or list; returns those that others have given me.
/// Collective, once on a channel: who is ahead may already tell of what comes next.
Told tell_neighbours(const Channel& comm, const Told& mine);
Lists tell_neighbours(const Channel& comm, const Lists& mine);

}  // namespace halocline::detail
