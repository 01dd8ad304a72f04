#include "heads.hpp"

#include "link_sizes.hpp"

#include <pattern/heads_plan.hpp>

#include <algorithm>
#include <map>

using halocline::Block;
using halocline::Link;
using halocline::Pattern;
using halocline::by_heads::HeadsPlan;
using halocline::by_heads::HeadsPlanner;
using halocline::model::Links;
using halocline::model::LinkSize;

namespace halosim {

namespace {

std::size_t at(int rank) {
  return static_cast<std::size_t>(rank);
}

/// The head of each rank's island.
std::map<int, int> heads_of(const std::vector<int>& islands) {
  std::map<int, int> heads, of;  // of each island, and of each rank
  for (int rank = 0; rank < static_cast<int>(islands.size()); ++rank)
    of[rank] = heads.emplace(islands[at(rank)], rank).first->second;
  return of;
}

/// The links of a rank to other islands.
Pattern outside(const Pattern& pattern, int rank, const std::map<int, int>& heads) {
  const auto leaves = [&](const Link& link) { return heads.at(link.peer) != heads.at(rank); };
  Pattern part;
  for (const Link& link : pattern.sends())
    for (const Block& block : link.blocks)
      if (leaves(link)) part.send(link.peer, block);
  for (const Link& link : pattern.receives())
    for (const Block& block : link.blocks)
      if (leaves(link)) part.receive(link.peer, block);
  return part;
}

/// What stays within the island.
Links inside(Links links, const std::map<int, int>& heads) {
  for (auto* const side : {&links.sends, &links.receives})
    std::erase_if(
        *side, [&](const LinkSize& link) { return heads.at(link.peer) != heads.at(links.rank); });
  links.stages.clear();
  return links;
}

/// Hands on what heads tell each other.
void tell_heads(std::vector<HeadsPlanner>& planners, const std::map<int, int>& heads) {
  std::map<int, std::vector<HeadsPlanner::Told>> of_islands;
  for (std::size_t rank = 0; rank < planners.size(); ++rank)
    of_islands[heads.at(static_cast<int>(rank))].push_back(planners[rank].told());
  std::map<int, HeadsPlanner::ByHead> for_heads;
  for (const auto& [head, told] : of_islands)
    for (auto& [target, words] : planners[at(head)].pass_on(told))
      for_heads[target][head] = std::move(words);
  for (const auto& [head, words] : for_heads) planners[at(head)].take(words);
}

}  // namespace

void go_by_heads(World& world, const std::vector<Pattern>& patterns, double element_bytes,
                 const std::vector<int>& islands) {
  const std::map<int, int> heads = heads_of(islands);
  std::vector<HeadsPlanner> planners;
  bool any = false;
  for (const Links& links : world.links) {
    Pattern part = outside(patterns[at(links.rank)], links.rank, heads);
    any = any || !part.empty();
    planners.emplace_back(links.rank, std::move(part), heads.at(links.rank), heads);
  }
  if (!any) return;
  tell_heads(planners, heads);
  for (Links& links : world.links) {
    const HeadsPlan& plan = planners[at(links.rank)].plan();
    const double cells = world.points[at(links.rank)];
    const auto leaves = static_cast<double>(plan.leaves), comes = static_cast<double>(plan.comes);
    links.hops = {inside(links, heads),  // in the order of model::Hop
                  sizes(plan.gather, element_bytes, {cells, leaves}),
                  sizes(plan.forward, element_bytes, {leaves, comes}),
                  sizes(plan.scatter, element_bytes, {comes, cells})};
  }
}

}  // namespace halosim
