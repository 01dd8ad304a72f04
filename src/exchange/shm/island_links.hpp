#pragma once
// Which links of a pattern stay within an island, and which go to others.

#include <halocline/more/islands.hpp>
#include <halocline/pattern.hpp>

namespace halocline::detail {

/// Where a receive link of the whole pattern is now.
struct LinkPlace {
  bool outer;
  std::size_t index;
};

struct IslandLinks {
  Pattern inside, outside;
  std::vector<LinkPlace> places;  ///< of the receive links, in the order of the whole pattern
};

/// Elements that stay on this rank are in neither part.
IslandLinks split_links(const Pattern& pattern, const Islands& islands);

}  // namespace halocline::detail
