#pragma once
// What neighbours send each other when an exchange is made.

#include "layout.hpp"

namespace halocline::detail {

/// Gives every peer in `to` my layout for it and returns those that the peers in `from` gave me.
/// Collective over the peers named.
std::vector<Layout> trade_layouts(MPI_Comm comm, std::span<const int> to,
                                  const std::vector<Layout>& mine, std::span<const int> from);
/// The same for a fixed number of integers for each peer.
std::vector<std::int64_t> trade(MPI_Comm comm, std::span<const int> to,
                                std::span<const std::int64_t> mine, std::span<const int> from,
                                std::size_t each);

}  // namespace halocline::detail
