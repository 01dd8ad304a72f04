#include "heads.hpp"

#include "link_sizes.hpp"

#include <pattern/heads_plan.hpp>

#include <algorithm>
#include <map>

using halocline::Block;
using halocline::Link;
using halocline::Pattern;
using halocline::by_heads::HeadsOfRanks;
using halocline::by_heads::HeadsPlan;
using halocline::by_heads::HeadsPlanner;
using halocline::model::Links;
using halocline::model::LinkSize;

namespace halosim {

namespace {

using Told = HeadsPlanner::Told;

std::size_t at(int rank) {
  return static_cast<std::size_t>(rank);
}

HeadsOfRanks heads_of(const std::vector<int>& islands) {
  std::map<int, int> heads;  // of each island
  std::vector<int> of;
  for (int rank = 0; rank < static_cast<int>(islands.size()); ++rank)
    of.push_back(heads.emplace(islands[at(rank)], rank).first->second);
  return HeadsOfRanks(std::move(of));
}

/// The links of a rank to other islands.
Pattern outside(const Pattern& pattern, int rank, const HeadsOfRanks& heads) {
  const auto leaves = [&](const Link& link) {
    return heads.head_of(link.peer) != heads.head_of(rank);
  };
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
Links inside(Links links, const HeadsOfRanks& heads) {
  for (auto* const side : {&links.sends, &links.receives})
    std::erase_if(*side, [&](const LinkSize& link) {
      return heads.head_of(link.peer) != heads.head_of(links.rank);
    });
  links.stages.clear();
  return links;
}

/// Hands on what heads tell each other.
void tell_heads(std::vector<HeadsPlanner>& planners, const HeadsOfRanks& heads) {
  std::map<int, std::vector<Told>> of_islands;
  for (std::size_t rank = 0; rank < planners.size(); ++rank)
    of_islands[heads.head_of(static_cast<int>(rank))].push_back(planners[rank].told());
  std::vector<std::vector<Told>> from;  // of each head, for each
  for (const int head : heads.heads()) from.push_back(planners[at(head)].pass_on(of_islands[head]));
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::vector<Told> all;
    for (std::vector<Told>& one : from) all.push_back(std::move(one[i]));
    planners[at(heads.heads()[i])].take(all);
  }
}

}  // namespace

void go_by_heads(World& world, const std::vector<Pattern>& patterns, double element_bytes,
                 const std::vector<int>& islands) {
  const HeadsOfRanks heads = heads_of(islands);
  std::vector<HeadsPlanner> planners;
  bool any = false;
  for (const Links& links : world.links) {
    Pattern part = outside(patterns[at(links.rank)], links.rank, heads);
    any = any || !part.empty();
    planners.emplace_back(links.rank, std::move(part), heads);
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
