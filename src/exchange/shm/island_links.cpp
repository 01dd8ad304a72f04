#include "island_links.hpp"

namespace halocline::detail {

IslandLinks split_links(const Pattern& pattern, const Islands& islands) {
  IslandLinks links;
  const auto outer = [&](const Link& link) {
    return islands.local_rank(link.peer) == MPI_UNDEFINED;
  };
  for (const Link& link : pattern.sends())
    for (const Block& block : link.blocks)
      (outer(link) ? links.outside : links.inside).send(link.peer, block);
  for (const Link& link : pattern.receives()) {
    Pattern& part = outer(link) ? links.outside : links.inside;
    links.places.push_back({outer(link), part.receives().size()});
    for (const Block& block : link.blocks) part.receive(link.peer, block);
  }
  return links;
}

}  // namespace halocline::detail
