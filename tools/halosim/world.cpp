#include "world.hpp"

#include "heads.hpp"

#include <formats/number.hpp>
#include <halocline/cut.hpp>
#include <halocline/placement.hpp>
#include <halocline/scheme.hpp>
#include <machine/memory.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

using halocline::Block;
using halocline::CutCosts;
using halocline::Error;
using halocline::GridCut;
using halocline::GridOptions;
using halocline::Link;
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
  for (std::size_t axis = 0; axis < cells.size(); ++axis) cells[axis] *= dims[axis];
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
  for (const std::size_t axis : pattern.value("periodic", std::vector<std::size_t>{}))
    options.periodic.at(axis) = true;
  return options;
}

/// What the links of a part carry. `owner` says which rank has a part.
class PartsOfGrid {
 public:
  PartsOfGrid(const GridCut& cut, double element_bytes, const std::vector<int>& owner)
      : cut_(cut), element_bytes_(element_bytes), owner_(owner) {}

  Links links(int part) const {
    const Pattern halo = cut_.halo(part);
    Links links = sizes(halo, part);
    for (const Pattern& stage : halo.stages()) links.stages.push_back(sizes(stage, part));
    return links;
  }

  /// Of a part's cells those that ranks of each other island need, each once, in bytes.
  std::map<int, std::size_t> needed(int part, const std::vector<int>& islands) const {
    const int mine = islands[at(owner_[at(part)])];
    std::map<int, std::vector<Block>> wanted;
    const Pattern halo = cut_.halo(part);
    for (const Link& link : halo.sends())
      if (const int island = islands[at(owner_[at(link.peer)])]; island != mine)
        wanted[island].insert(wanted[island].end(), link.blocks.begin(), link.blocks.end());
    std::map<int, std::size_t> found;
    for (const auto& [island, blocks] : wanted) found[island] = bytes(cells_of(blocks));
    return found;
  }

 private:
  static std::size_t at(int number) { return static_cast<std::size_t>(number); }

  Links sizes(const Pattern& pattern, int part) const {
    Links links;
    links.span = bytes(static_cast<std::size_t>(cut_.owned_cells(part)));
    for (const Link& link : pattern.sends()) links.sends.push_back(size_of(link, links.span));
    for (const Link& link : pattern.receives()) links.receives.push_back(size_of(link, links.span));
    const LinkSize kept = size_of(pattern.copies_from(), links.span);
    links.kept_bytes = kept.bytes, links.kept_pieces = kept.pieces, links.kept_lines = kept.lines;
    return links;
  }

  LinkSize size_of(const Link& link, std::size_t span) const {
    LinkSize size{.peer = link.peer < 0 ? -1 : owner_[at(link.peer)], .pieces = 0, .span = span};
    for (const Block& block : link.blocks) {
      const std::size_t rows = block.count[0] * block.count[1];
      size.bytes += bytes(block.size());
      size.pieces += rows;
      size.lines += lines(rows, block.count[2]);
    }
    return size;
  }

  /// Cells that are in any of the blocks of one array.
  static std::size_t cells_of(const std::vector<Block>& blocks) {
    using Corner = std::array<std::ptrdiff_t, 3>;
    std::vector<std::pair<Corner, Corner>> boxes;
    std::array<std::set<std::ptrdiff_t>, 3> cuts;
    for (const Block& block : blocks) {
      const Corner begin{block.offset / block.stride[0],
                         block.offset % block.stride[0] / block.stride[1],
                         block.offset % block.stride[1]};
      Corner end = begin;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        end[axis] += static_cast<std::ptrdiff_t>(block.count[axis]);
        cuts[axis].insert({begin[axis], end[axis]});
      }
      boxes.emplace_back(begin, end);
    }
    // The edges of all boxes cut the array into pieces, each of which is in a box or outside.
    std::ptrdiff_t cells = 0;
    for (auto z = cuts[0].begin(); std::next(z) != cuts[0].end(); ++z)
      for (auto y = cuts[1].begin(); std::next(y) != cuts[1].end(); ++y)
        for (auto x = cuts[2].begin(); std::next(x) != cuts[2].end(); ++x) {
          const bool inside = std::any_of(boxes.begin(), boxes.end(), [&](const auto& box) {
            const auto& [begin, end] = box;
            return begin[0] <= *z && *z < end[0] && begin[1] <= *y && *y < end[1] &&
                   begin[2] <= *x && *x < end[2];
          });
          if (inside) cells += (*std::next(z) - *z) * (*std::next(y) - *y) * (*std::next(x) - *x);
        }
    return static_cast<std::size_t>(cells);
  }

  std::size_t bytes(std::size_t cells) const {
    return static_cast<std::size_t>(static_cast<double>(cells) * element_bytes_ + 0.5);
  }

  /// Cache lines that so many rows of so many cells lie in, wherever they begin.
  std::size_t lines(std::size_t rows, std::size_t row) const {
    constexpr double line = 64;
    const double each =
        1 + std::max(0.0, static_cast<double>(row) * element_bytes_ - element_bytes_) / line;
    return static_cast<std::size_t>(static_cast<double>(rows) * each + 0.5);
  }

  const GridCut& cut_;
  double element_bytes_;  ///< on average, where cells are as much room as a particle has
  const std::vector<int>& owner_;
};

/// From pairs of ranks and bytes.
void simple(World& world, const json& pattern, int ranks) {
  const auto link = [&](int from, int to, std::size_t bytes) {
    if (from < 0 || to < 0 || from >= ranks || to >= ranks || from == to)
      throw Error("pattern: no link from rank " + std::to_string(from) + " to " +
                  std::to_string(to) + " of " + std::to_string(ranks));
    const auto pieces = pattern.is_object() ? pattern.value("pieces", std::size_t{1}) : 1;
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

int positive(const json& request, const char* key, int otherwise) {
  const int value = request.value(key, otherwise);
  if (value < 1) throw Error(std::string(key) + " must be at least 1");
  return value;
}

/// Islands of heads=, of each rank; empty: the scheme has no heads.
std::vector<int> islands_of_heads(const std::string& scheme, const Places& places) {
  if (scheme.find("+heads=") == scheme.npos) return {};
  const std::string& spec = halocline::Scheme(scheme).option("heads");
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
  Needed needed(islands.size());
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
      const Placement placed = halocline::place(costs, machine);
      options.dims = placed.dims;
      for (std::size_t r = 0; r < placed.position.size(); ++r)
        owner[static_cast<std::size_t>(placed.position[r])] = static_cast<int>(r);
    } else if (placement != "sequential" && placement != "placed") {
      throw Error("placement " + placement + ": must be sequential or placed");
    }
    const GridCut cut(ranks, cells, std::move(options));
    made.dims = cut.dims();
    const PartsOfGrid parts(cut, pattern.value("element_bytes", 8.0), owner);
    for (int part = 0; part < cut.parts(); ++part) {
      const auto rank = static_cast<std::size_t>(owner[static_cast<std::size_t>(part)]);
      made.links[rank] = parts.links(part);
      made.points[rank] = static_cast<double>(cut.owned_cells(part));
      if (!islands.empty()) needed[rank] = parts.needed(part, islands);
    }
  } else {
    simple(made, pattern, ranks);
    for (std::size_t r = 0; r < islands.size(); ++r)
      for (const LinkSize& link : made.links[r].sends)
        if (const int to = islands[static_cast<std::size_t>(link.peer)]; to != islands[r])
          needed[r][to] += link.bytes;
  }
  std::set<std::pair<int, int>> ways;
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
    for (const LinkSize& link : links.sends) ways.emplace(r, link.peer);
  }
  const bool several = std::any_of(made.links.begin(), made.links.end(), leaves_node);
  const bool two_way = std::all_of(ways.begin(), ways.end(), [&](const auto& way) {
    return ways.contains({way.second, way.first});
  });
  for (Links& links : made.links) {
    links.two_way = two_way;
    links.several_islands = several;
    for (Links& stage : links.stages) stage.two_way = two_way, stage.several_islands = several;
  }
  if (!islands.empty()) go_by_heads(made, islands, needed);
  std::map<int, int> senders;
  for (int r = 0; r < ranks; ++r) {
    Links& links = made.links[static_cast<std::size_t>(r)];
    bool sends = links.ways.empty() && leaves_node(links);
    for (Links& way : links.ways) {
      place(way, r);
      way.several_islands = several && &way == &links.ways[halocline::model::between_heads];
      sends = sends || leaves_node(way);
    }
    if (sends) made.places.sharers = std::max(made.places.sharers, ++senders[links.island]);
  }
  return made;
}

}  // namespace halosim
