#include "heads.hpp"

#include <algorithm>
#include <numeric>

namespace halosim {

using halocline::model::Links;
using halocline::model::LinkSize;
using enum halocline::model::Way;

namespace {

constexpr std::size_t line = 64;

std::size_t at(int rank) {
  return static_cast<std::size_t>(rank);
}

/// Links to other islands as one, whose cells stay in the rank's array.
LinkSize leaving(const std::vector<LinkSize>& links, const std::vector<int>& islands, int mine) {
  LinkSize sum{.peer = -1, .bytes = 0, .pieces = 0};
  for (const LinkSize& link : links)
    if (islands[at(link.peer)] != mine) {
      sum.bytes += link.bytes;
      sum.pieces += link.pieces;
      sum.lines += link.lines;
      sum.span = link.span;
    }
  return sum;
}

/// The same bytes in a head's buffer.
LinkSize buffered(int peer, std::size_t bytes, std::size_t pieces) {
  return {.peer = peer, .bytes = bytes, .pieces = pieces, .lines = bytes / line, .span = bytes};
}

}  // namespace

void go_by_heads(World& world, const std::vector<int>& islands, const Needed& needed) {
  if (std::all_of(needed.begin(), needed.end(), [](const auto& none) { return none.empty(); }))
    return;
  std::map<int, int> heads;
  for (int rank = 0; rank < static_cast<int>(islands.size()); ++rank)
    heads.emplace(islands[at(rank)], rank);
  std::map<int, std::map<int, std::size_t>> between;  // islands
  for (Links& links : world.links) {
    const auto others = [&](const LinkSize& link) {
      return islands[at(link.peer)] != islands[at(links.rank)];
    };
    Links none{.rank = links.rank, .ranks = links.ranks, .island = links.island};
    none.span = links.span;
    links.ways.assign(halocline::model::ways_by_heads, none);
    Links& inside = links.ways[within_islands];
    inside = none;
    inside.kept_bytes = links.kept_bytes, inside.kept_pieces = links.kept_pieces;
    inside.kept_lines = links.kept_lines;
    for (auto side : {&Links::sends, &Links::receives}) {
      inside.*side = links.*side;
      std::erase_if(inside.*side, others);
    }
    links.ways[to_heads].two_way = links.ways[from_heads].two_way = false;
    for (const auto& [island, bytes] : needed[at(links.rank)])
      between[islands[at(links.rank)]][island] += bytes;
  }
  for (Links& links : world.links) {
    const int island = islands[at(links.rank)], head = heads[island];
    std::vector<Links>& own = links.ways;
    std::vector<Links>& heads_own = world.links[at(head)].ways;
    std::size_t bytes = 0;
    for (const auto& [to, some] : needed[at(links.rank)]) bytes += some;
    LinkSize given = leaving(links.sends, islands, island);
    given.bytes = bytes;
    LinkSize taken = leaving(links.receives, islands, island);
    if (links.rank == head) {
      own[to_heads].kept_bytes = given.bytes, own[to_heads].kept_pieces = given.pieces;
      own[to_heads].kept_lines = given.lines;
      own[from_heads].kept_bytes = taken.bytes, own[from_heads].kept_pieces = taken.pieces;
      own[from_heads].kept_lines = taken.lines;
      for (const auto& [other, some] : between[island]) {
        own[between_heads].sends.push_back(buffered(heads[other], some, 1));
        world.links[at(heads[other])].ways[between_heads].receives.push_back(
            buffered(head, some, 1));
      }
      continue;
    }
    given.peer = taken.peer = head;
    if (given.bytes > 0) {
      own[to_heads].sends.push_back(given);
      heads_own[to_heads].receives.push_back(
          buffered(links.rank, given.bytes, needed[at(links.rank)].size()));
    }
    if (taken.bytes > 0) {
      const auto from =
          std::count_if(links.receives.begin(), links.receives.end(),
                        [&](const LinkSize& link) { return islands[at(link.peer)] != island; });
      heads_own[from_heads].sends.push_back(
          buffered(links.rank, taken.bytes, static_cast<std::size_t>(from)));
      own[from_heads].receives.push_back(taken);
    }
  }
  // Who does not gather or scatter anything is in none of the two ways.
  for (const auto way : {to_heads, from_heads}) {
    const bool any = std::any_of(world.links.begin(), world.links.end(), [&](const Links& links) {
      return !links.ways[way].sends.empty();
    });
    if (!any)
      for (Links& links : world.links) links.ways[way].two_way = true;
  }
}

}  // namespace halosim
