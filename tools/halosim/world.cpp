#include "world.hpp"

#include "heads.hpp"

#include <formats/number.hpp>
#include <halocline/placement.hpp>
#include <halocline/scheme.hpp>
#include <machine/memory.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

using halocline::Error;
using halocline::HaloWidth;
using halocline::Mesh;
using halocline::Placement;
using halocline::Range;
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

/// A grid of cells, cut into parts.
class GridOfParts {
 public:
  GridOfParts(const json& pattern, int ranks)
      : bytes_(pattern.value("element_bytes", 8.0)), corners_(pattern.value("corners", true)) {
    mesh_.cells = pattern.at("cells").get<std::vector<std::int64_t>>();
    const std::size_t axes = mesh_.cells.size();
    if (axes < 1 || axes > 3) throw Error("pattern: cells must have 1 to 3 axes");
    const int halo = pattern.value("halo", 1);
    mesh_.halos.assign(axes, HaloWidth(halo));
    mesh_.periodic.assign(axes, false);
    for (const std::size_t axis : pattern.value("periodic", std::vector<std::size_t>{}))
      mesh_.periodic.at(axis) = true;
    dims_ = pattern.value("dims", std::vector<int>{});
    if (dims_.empty()) dims_ = halocline::fitting_dims(ranks, mesh_.costs());
    if (dims_.size() != axes ||
        std::accumulate(dims_.begin(), dims_.end(), 1, std::multiplies<>()) > ranks)
      throw Error("pattern: dims do not fit the axes and the ranks");
  }

  const Mesh& mesh() const { return mesh_; }
  const std::vector<int>& dims() const { return dims_; }

  /// Of a part's cells those that ranks of each other island need, each once, in bytes. A halo is
  /// at most half as wide as a part.
  std::map<int, std::size_t> needed(int part, const std::vector<int>& owner,
                                    const std::vector<int>& islands) const {
    const std::vector<int> here = coordinates(part);
    const int mine = islands[static_cast<std::size_t>(owner[static_cast<std::size_t>(part)])];
    std::map<int, std::set<std::vector<int>>> regions;  // near which sides
    neighbors(here, [&](const std::vector<int>& offset, int other) {
      const int island = islands[static_cast<std::size_t>(owner[static_cast<std::size_t>(other)])];
      if (island == mine) return;
      std::vector<int> region(offset.size(), -1);
      for (bool more = true; more; more = next(region)) {
        bool inside = true;
        for (std::size_t axis = 0; axis < offset.size(); ++axis)
          inside = inside && (offset[axis] == 0 || offset[axis] == region[axis]);
        if (inside) regions[island].insert(region);
      }
    });
    std::map<int, std::size_t> found;
    for (const auto& [island, some] : regions) {
      double cells = 0;
      for (const std::vector<int>& region : some) {
        double product = 1;
        for (std::size_t axis = 0; axis < region.size(); ++axis) {
          const double all = static_cast<double>(owned(axis, here[axis]).size());
          const double side = std::min(static_cast<double>(mesh_.halos[axis].below), all / 2);
          product *= region[axis] != 0 ? side : all - 2 * side;
        }
        cells += product;
      }
      found[island] = bytes(static_cast<std::size_t>(cells + 0.5));
    }
    return found;
  }

  double points(int part) const {
    double product = 1;
    for (std::size_t axis = 0; axis < dims_.size(); ++axis)
      product *= static_cast<double>(owned(axis, coordinates(part)[axis]).size());
    return product;
  }

  /// Links of `part`; `owner` says which rank has a part.
  Links links(int part, const std::vector<int>& owner) const {
    const std::vector<int> here = coordinates(part);
    Links links;
    links.span = bytes(static_cast<std::size_t>(points(part)));
    halo(links, here, owner, -1);
    if (corners_ && dims_.size() > 1)
      for (std::size_t axis = 0; axis < dims_.size(); ++axis) {
        Links stage;
        stage.span = links.span;
        halo(stage, here, owner, static_cast<int>(axis));
        links.stages.push_back(std::move(stage));
      }
    return links;
  }

 private:
  std::vector<int> coordinates(int part) const {
    std::vector<int> at(dims_.size());
    for (std::size_t axis = dims_.size(); axis-- > 0; part /= dims_[axis])
      at[axis] = part % dims_[axis];
    return at;
  }
  Range owned(std::size_t axis, int coordinate) const {
    return halocline::part_of(mesh_.cells[axis], dims_[axis], coordinate);
  }

  /// Calls `each` with the offset and the part of every neighbour; a part may be its own.
  template <class Each>
  void neighbors(const std::vector<int>& here, Each&& each) const {
    const std::size_t axes = dims_.size();
    std::vector<int> offset(axes, -1);
    for (bool more = true; more; more = next(offset)) {
      const auto moves = std::count_if(offset.begin(), offset.end(), [](int o) { return o != 0; });
      if (moves == 0 || (!corners_ && moves > 1)) continue;
      int part = 0;
      bool outside = false;
      for (std::size_t axis = 0; axis < axes; ++axis) {
        int to = here[axis] + offset[axis];
        if (to < 0 || to >= dims_[axis]) {
          outside = outside || !mesh_.periodic[axis];
          to = (to + dims_[axis]) % dims_[axis];
        }
        part = part * dims_[axis] + to;
      }
      if (!outside) each(offset, part);
    }
  }

  /// All neighbours, or, with a `stage`, those along one axis, with what the stages before brought.
  void halo(Links& links, const std::vector<int>& here, const std::vector<int>& owner,
            int stage) const {
    const std::size_t axes = dims_.size();
    neighbors(here, [&](const std::vector<int>& offset, int part) {
      const auto moves = std::count_if(offset.begin(), offset.end(), [](int o) { return o != 0; });
      if (stage >= 0 && (moves > 1 || offset[static_cast<std::size_t>(stage)] == 0)) return;
      std::size_t cells = 1, rows = 1, row = 1;
      for (std::size_t axis = 0; axis < axes; ++axis) {
        const auto width = static_cast<std::size_t>(mesh_.halos[axis].below);
        std::size_t count =
            offset[axis] != 0 ? width : static_cast<std::size_t>(owned(axis, here[axis]).size());
        if (stage >= 0 && static_cast<int>(axis) < stage) count += 2 * width;
        cells *= count;
        if (axis + 1 < axes) rows *= count;
        row = count;
      }
      if (cells == 0) return;
      const int peer = owner[static_cast<std::size_t>(part)];
      if (part == part_of_coordinates(here)) {
        links.kept_bytes += bytes(cells);
        links.kept_pieces += rows;
        links.kept_lines += lines(rows, row);
        return;
      }
      const LinkSize link{.peer = peer,
                          .bytes = bytes(cells),
                          .pieces = rows,
                          .lines = lines(rows, row),
                          .span = links.span};
      add(links.sends, link);
      // What comes from there has the same size: both sides are cut alike across the link.
      add(links.receives, link);
    });
  }

  std::size_t bytes(std::size_t cells) const {
    return static_cast<std::size_t>(static_cast<double>(cells) * bytes_ + 0.5);
  }

  /// Cache lines that so many rows of so many cells lie in, wherever they begin.
  std::size_t lines(std::size_t rows, std::size_t row) const {
    constexpr double line = 64;
    const double each = 1 + std::max(0.0, static_cast<double>(row) * bytes_ - bytes_) / line;
    return static_cast<std::size_t>(static_cast<double>(rows) * each + 0.5);
  }

  int part_of_coordinates(const std::vector<int>& at) const {
    int part = 0;
    for (std::size_t axis = 0; axis < dims_.size(); ++axis) part = part * dims_[axis] + at[axis];
    return part;
  }

  static bool next(std::vector<int>& offset) {
    for (std::size_t axis = offset.size(); axis-- > 0;) {
      if (++offset[axis] <= 1) return true;
      offset[axis] = -1;
    }
    return false;
  }

  Mesh mesh_;
  double bytes_;  ///< of a cell; on average, where cells are as much room as a particle has
  bool corners_;
  std::vector<int> dims_;
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
  const json& pattern = request.at("pattern");
  if (pattern.is_object() && pattern.value("kind", "") == "grid") {
    const GridOfParts grid(pattern, ranks);
    made.dims = grid.dims();
    std::vector<int> owner;
    const std::string placement = request.value("placement", "sequential");
    if (placement == "placed" && ranks % per_node == 0 && pattern.value("dims", json()).is_null()) {
      const auto machine = halocline::Machine::described(
          "nodes=" + std::to_string(ranks / per_node) + ",cores=" + std::to_string(per_node),
          ranks);
      const Placement placed = halocline::place(grid.mesh().costs(), machine);
      made.dims = placed.dims;
      owner.resize(placed.position.size());
      for (std::size_t r = 0; r < placed.position.size(); ++r)
        owner[static_cast<std::size_t>(placed.position[r])] = static_cast<int>(r);
    } else if (placement != "sequential" && placement != "placed") {
      throw Error("placement " + placement + ": must be sequential or placed");
    }
    json cut = pattern;
    cut["dims"] = made.dims;
    const GridOfParts parts(cut, ranks);
    if (owner.empty()) {
      owner.resize(static_cast<std::size_t>(ranks));
      std::iota(owner.begin(), owner.end(), 0);
    }
    const int count = std::accumulate(made.dims.begin(), made.dims.end(), 1, std::multiplies<>());
    for (int part = 0; part < count; ++part) {
      const auto rank = static_cast<std::size_t>(owner[static_cast<std::size_t>(part)]);
      made.links[rank] = parts.links(part, owner);
      made.points[rank] = parts.points(part);
      if (!islands.empty()) needed[rank] = parts.needed(part, owner, islands);
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
