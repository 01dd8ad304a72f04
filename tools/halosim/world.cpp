#include "world.hpp"

#include "heads.hpp"
#include "link_sizes.hpp"

#include <formats/number.hpp>
#include <halocline/cut.hpp>
#include <halocline/more/placement.hpp>
#include <halocline/scheme.hpp>
#include <machine/memory.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

using halocline::Block;
using halocline::CutCosts;
using halocline::Error;
using halocline::GridCut;
using halocline::GridOptions;
using halocline::Mesh;
using halocline::Pattern;
using halocline::Placement;
using halocline::model::Links;
using halocline::model::LinkSize;
using nlohmann::json;

namespace halosim {

namespace {

/// Adds to the link with this peer, as patterns do.
void add(std::vector<LinkSize>& links, const LinkSize& more) {
  const auto found = std::find_if(links.begin(), links.end(),
                                  [&](const LinkSize& link) { return link.peer == more.peer; });
  if (found == links.end()) {
    links.push_back(more);
  } else {
    found->bytes += more.bytes;
    found->pieces += more.pieces;
    found->lines += more.lines;
  }
}

/// "cells" in all, or of "each" rank: then in the process grid that is most like a cube.
void settle_cells(json& pattern, int ranks) {
  if (!pattern.contains("each")) return;
  auto cells = pattern["each"].get<std::vector<std::int64_t>>();
  const auto dims = halocline::weighted_dims(ranks, {.weights = std::vector(cells.size(), 1.0)});
  for (std::size_t axis = 0; axis < cells.size(); ++axis)
    if (__builtin_mul_overflow(cells[axis], dims[axis], &cells[axis]))
      throw Error("pattern: each: too many cells along axis " + std::to_string(axis));
  pattern["cells"] = cells;
  pattern["dims"] = dims;
}

/// How a request says what is cut.
GridOptions grid_options(const json& pattern) {
  GridOptions options{.halo = pattern.value("halo", 1),
                      .corners = pattern.value("corners", true),
                      .dims = pattern.value("dims", std::vector<int>{})};
  for (const json& one : pattern.value("halos", json::array()))
    options.halos.emplace_back(one.at(0).get<int>(), one.at(1).get<int>());
  options.periodic.assign(pattern.at("cells").size(), false);
  for (const std::size_t axis : pattern.value("periodic", std::vector<std::size_t>{})) {
    if (axis >= options.periodic.size())
      throw Error("pattern: periodic: there is no axis " + std::to_string(axis));
    options.periodic[axis] = true;
  }
  return options;
}

/// From pairs of ranks and bytes.
void simple(World& world, const json& pattern, int ranks) {
  const auto link = [&](int from, int to, std::size_t bytes) {
    if (from < 0 || to < 0 || from >= ranks || to >= ranks || from == to)
      throw Error("pattern: no link from rank " + std::to_string(from) + " to " +
                  std::to_string(to) + " of " + std::to_string(ranks));
    const auto pieces = pattern.is_object() ? pattern.value("pieces", std::size_t{1}) : 1;
    if (pieces < 1 || pieces > std::max<std::size_t>(bytes, 1))
      throw Error("pattern: " + std::to_string(bytes) + " bytes have no " + std::to_string(pieces) +
                  " pieces");
    add(world.links[static_cast<std::size_t>(from)].sends,
        {.peer = to, .bytes = bytes, .pieces = pieces});
    add(world.links[static_cast<std::size_t>(to)].receives,
        {.peer = from, .bytes = bytes, .pieces = pieces});
  };
  if (pattern.is_array()) {
    for (const json& one : pattern) link(one.at(0), one.at(1), one.at(2));
    return;
  }
  const std::string kind = pattern.value("kind", "");
  const std::size_t bytes = pattern.value("bytes", std::size_t{0});
  if (kind == "links") {
    for (const json& one : pattern.at("links")) link(one.at(0), one.at(1), one.at(2));
  } else if (kind == "ring" || kind == "pair") {
    for (int r = 0; r < (ranks == 2 ? 1 : ranks); ++r) {
      link(r, (r + 1) % ranks, bytes);
      link((r + 1) % ranks, r, bytes);
    }
  } else if (kind == "shift") {
    for (int r = 0; r + 1 < ranks; ++r) link(r, r + 1, bytes);
  } else {
    throw Error("pattern: kind " + kind + " must be grid, pair, ring, shift or links");
  }
}

/// The same links as a pattern of bytes, for what asks which of them are sent.
Pattern of_bytes(const Links& links) {
  Pattern pattern;
  std::ptrdiff_t begin = 0;
  const auto each_piece = [&](const LinkSize& link, auto&& add) {
    for (std::size_t i = 0; i < link.pieces; ++i) {
      const std::size_t size = link.bytes / link.pieces + (i < link.bytes % link.pieces ? 1 : 0);
      add(Block{.offset = begin, .count = {1, 1, size}});
      begin += static_cast<std::ptrdiff_t>(size) + 1;  // the next does not touch it
    }
  };
  for (const LinkSize& link : links.sends)
    each_piece(link, [&](const Block& block) { pattern.send(link.peer, block); });
  for (const LinkSize& link : links.receives)
    each_piece(link, [&](const Block& block) { pattern.receive(link.peer, block); });
  return pattern;
}

int positive(const json& request, const char* key, int otherwise) {
  const int value = request.value(key, otherwise);
  if (value < 1) throw Error(std::string(key) + " must be at least 1");
  return value;
}

/// Islands of heads=, of each rank; empty: the scheme has no heads.
std::vector<int> islands_of_heads(const std::string& scheme, const Places& places) {
  if (scheme.find("+heads=") == scheme.npos) return {};
  const std::string spec = halocline::Scheme(scheme).option("heads");
  if (spec == "off") return {};
  if (spec == "node") return places.node;
  if (spec == "numa") return places.socket;  // the nearest that a machine file knows
  // So many consecutive ranks of a node.
  const auto each = *formats::number<std::size_t>(spec);
  std::vector<int> islands;
  for (std::size_t r = 0; r < places.node.size(); ++r) {
    const bool begins = r > 0 && (r % each == 0 || places.node[r] != places.node[r - 1]);
    islands.push_back(r == 0 ? 0 : islands.back() + (begins ? 1 : 0));
  }
  return islands;
}

/// Whether on all ranks who sends to whom receives from them, in those links that `of` picks.
template <class Of>
bool is_two_way(const std::vector<Links>& all, Of&& of) {
  std::set<std::pair<int, int>> ways;
  for (const Links& links : all)
    for (const LinkSize& link : of(links).sends) ways.emplace(links.rank, link.peer);
  return std::all_of(ways.begin(), ways.end(), [&](const auto& way) {
    return ways.contains({way.second, way.first});
  });
}

}  // namespace

World world(const json& request) {
  const int ranks = positive(request, "ranks", 2);
  const int per_node = positive(request, "ranks_per_node", ranks);
  const int per_socket = positive(request, "ranks_per_socket", per_node);
  // Links and what a rank does in a step take several times as much.
  machine::check_memory(4096.0 * ranks, "halosim");
  const int sockets = (per_node + per_socket - 1) / per_socket;
  World made;
  made.links.resize(static_cast<std::size_t>(ranks));
  made.points.assign(static_cast<std::size_t>(ranks), 0);
  for (int r = 0; r < ranks; ++r) {
    made.places.node.push_back(r / per_node);
    made.places.socket.push_back(r / per_node * sockets + r % per_node / per_socket);
  }
  const std::vector<int> islands = islands_of_heads(request.value("scheme", ""), made.places);
  std::vector<Pattern> patterns(islands.size());  // of each rank, where heads need them
  double element_bytes = 1;
  json pattern = request.at("pattern");
  if (pattern.is_object() && pattern.value("kind", "") == "grid") {
    settle_cells(pattern, ranks);
    GridOptions options = grid_options(pattern);
    const auto cells = pattern.at("cells").get<std::vector<std::int64_t>>();
    std::vector<int> owner(static_cast<std::size_t>(ranks));
    std::iota(owner.begin(), owner.end(), 0);
    const std::string placement = request.value("placement", "sequential");
    if (placement == "placed" && ranks % per_node == 0) {
      const auto machine = halocline::Machine::described(
          "nodes=" + std::to_string(ranks / per_node) + ",cores=" + std::to_string(per_node),
          ranks);
      const GridOptions all = GridCut(ranks, cells, options).options();
      CutCosts costs = Mesh{cells, all.halos, all.periodic}.costs();
      costs.fixed = options.dims;
      const Placement placed = halocline::best_placement(costs, machine);
      options.dims = placed.dims;
      for (std::size_t r = 0; r < placed.position.size(); ++r)
        owner[static_cast<std::size_t>(placed.position[r])] = static_cast<int>(r);
    } else if (placement != "sequential" && placement != "placed") {
      throw Error("placement " + placement + ": must be sequential or placed");
    }
    const GridCut cut(ranks, cells, std::move(options));
    made.dims = cut.dims();
    element_bytes = pattern.value("element_bytes", 8.0);
    for (int part = 0; part < cut.parts(); ++part) {
      const auto rank = static_cast<std::size_t>(owner[static_cast<std::size_t>(part)]);
      const auto owned = static_cast<double>(cut.owned_cells(part));
      Pattern halo = cut.halo(part);
      if (placement == "placed") halo = renumbered(halo, owner);
      made.points[rank] = owned;
      made.links[rank] = sizes(halo, element_bytes, {owned, owned});
      for (const Pattern& stage : halo.stages())
        made.links[rank].stages.push_back(sizes(stage, element_bytes, {owned, owned}));
      if (!islands.empty()) patterns[rank] = std::move(halo);
    }
  } else {
    simple(made, pattern, ranks);
    for (std::size_t r = 0; r < islands.size(); ++r) patterns[r] = of_bytes(made.links[r]);
  }
  const auto place = [&](Links& links, int rank) {
    links.rank = rank;
    links.ranks = ranks;
    links.island = made.places.node[static_cast<std::size_t>(rank)];
    for (auto* side : {&links.sends, &links.receives})
      for (LinkSize& link : *side)
        link.inside = made.places.node[static_cast<std::size_t>(link.peer)] == links.island;
  };
  const auto leaves_node = [](const Links& links) {
    return std::any_of(links.sends.begin(), links.sends.end(),
                       [](const LinkSize& link) { return !link.inside; });
  };
  for (int r = 0; r < ranks; ++r) {
    Links& links = made.links[static_cast<std::size_t>(r)];
    place(links, r);
    for (Links& stage : links.stages) place(stage, r);
  }
  const bool several = std::any_of(made.links.begin(), made.links.end(), leaves_node);
  const bool two_way = is_two_way(made.links, std::identity());
  for (Links& links : made.links) {
    links.two_way = two_way;
    links.several_islands = several;
    for (Links& stage : links.stages) stage.two_way = two_way, stage.several_islands = several;
  }
  if (!islands.empty()) go_by_heads(made, patterns, element_bytes, islands);
  for (std::size_t hop = 0; hop < made.links.front().hops.size(); ++hop) {
    const bool back =
        is_two_way(made.links, [&](const Links& links) -> const Links& { return links.hops[hop]; });
    for (Links& links : made.links) links.hops[hop].two_way = back;
  }
  std::map<int, int> senders;
  for (int r = 0; r < ranks; ++r) {
    Links& links = made.links[static_cast<std::size_t>(r)];
    bool sends = links.hops.empty() && leaves_node(links);
    for (Links& hop : links.hops) {
      place(hop, r);
      hop.several_islands = several && &hop == &links.hops[halocline::model::between_heads];
      sends = sends || leaves_node(hop);
    }
    if (sends) made.places.sharers = std::max(made.places.sharers, ++senders[links.island]);
  }
  return made;
}

}  // namespace halosim
