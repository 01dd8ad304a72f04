#pragma once
// Patterns cut so that each thread has a piece of every message.

#include <halocline/pattern.hpp>

#include <cstdint>
#include <vector>

namespace halocline::detail {

/// [begin, end) of what `threads` share evenly, in their order.
struct Share {
  std::int64_t begin, end;
  Share(std::int64_t first, std::int64_t last) : begin(first), end(last) {}
  Share(std::int64_t all, int thread, int threads)
      : begin(all * thread / threads), end(all * (thread + 1) / threads) {}
};

/// Piece `piece` of `pieces` of every message and of what is copied. Both ends of a link list its
/// elements in the same order, so their pieces fit; those that have no element are left out on
/// both.
Pattern piece_of(const Pattern& pattern, int piece, int pieces);

}  // namespace halocline::detail
