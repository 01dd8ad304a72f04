#pragma once
// How the heads of islands pass an array on to each other: rounds, each of which is a pattern.

#include <halocline/grid.hpp>
#include <halocline/pattern.hpp>

#include <functional>
#include <vector>

namespace halocline::detail {

/// The elements that belong to a head, 0..heads-1; one after the other or scattered.
using Shares = std::function<std::vector<Range>(int head)>;

/// All `elements` from head `root` to all others, each of which hands them on at once: a binomial
/// tree, as many rounds as `heads` has bits.
std::vector<Pattern> broadcast(int heads, int me, int root, std::int64_t elements);

/// Each head has its share at first, and in the end all shares of all. In round k a head sends what
/// it has, the shares of 2^k heads, to the one 2^k before it: dissemination (J. Bruck et al., IEEE
/// TPDS 8, 1997), in as many rounds as `heads` has bits. To head `complete`, which has all from the
/// beginning, nothing is sent; -1: there is none.
std::vector<Pattern> gather_everywhere(int heads, int me, const Shares& shares, int complete = -1);

/// The same end as `broadcast`, for large arrays: shares are scattered along a binomial tree, and
/// gathered everywhere. A head receives what came down the tree again at most: half of the array
/// (R. van de Geijn, JPDC 22, 1994).
std::vector<Pattern> scatter_and_gather(int heads, int me, int root, std::int64_t elements);

}  // namespace halocline::detail
