#pragma once
// Who has something for me? Nonblocking consensus (T. Hoefler, C. Siebert, A. Lumsdaine: Scalable
// communication protocols for dynamic sparse data exchange, PPoPP 2010): a message to each rank
// concerned and one barrier, where an MPI_Alltoall would touch all pairs of ranks.

#include "comm_context.hpp"

#include <cstdint>
#include <map>

namespace halocline::detail {

/// Numbers by rank.
using Numbers = std::map<int, std::int64_t>;

/// Lists of numbers by rank.
using Lists = std::map<int, std::vector<std::int64_t>>;

/// Gives each rank in `mine` its number, or list; returns those that others have given me.
/// Collective, once on a channel: a rank ahead may already send what belongs to the next exchange.
Numbers sparse_exchange(const Channel& comm, const Numbers& mine);
Lists sparse_exchange(const Channel& comm, const Lists& mine);

}  // namespace halocline::detail
