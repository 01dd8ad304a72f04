// Meshes into parts: along a space-filling curve, or by METIS.

#include <halocline/error.hpp>
#include <halocline/more/partition.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <string>
#include <utility>

#ifdef HALOCLINE_HAVE_METIS
#include <metis.h>
#endif

namespace halocline {

namespace {

using Places = std::vector<std::array<double, 3>>;

/// Edges from `start` to each vertex; as many as there are vertices where there is no way.
std::vector<int> distances(const Graph& graph, int start) {
  std::vector<int> far(static_cast<std::size_t>(graph.vertices()), graph.vertices());
  std::vector<int> queue{start};
  far[static_cast<std::size_t>(start)] = 0;
  for (std::size_t next = 0; next < queue.size(); ++next)
    for (const int neighbour : graph.of(queue[next])) {
      int& there = far[static_cast<std::size_t>(neighbour)];
      if (there < graph.vertices()) continue;
      there = far[static_cast<std::size_t>(queue[next])] + 1;
      queue.push_back(neighbour);
    }
  return far;
}

/// Places for vertices that have none: their distances from three that are far from each other.
Places embedded(const Graph& graph) {
  Places places(static_cast<std::size_t>(graph.vertices()));
  std::vector<int> from_all = distances(graph, 0);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto farthest = std::ranges::max_element(from_all) - from_all.begin();
    const std::vector<int> far = distances(graph, static_cast<int>(farthest));
    for (std::size_t v = 0; v < far.size(); ++v) {
      places[v][axis] = far[v];
      from_all[v] = axis == 0 ? far[v] : std::min(from_all[v], far[v]);
    }
  }
  return places;
}

/// How far along Hilbert's curve through a cube of 2^bits cells a side a cell lies (J. Skilling,
/// Programming the Hilbert curve, https://doi.org/10.1063/1.1751381).
std::uint64_t along_curve(std::array<std::uint32_t, 3> x, std::size_t axes, int bits) {
  for (std::uint32_t q = 1U << (bits - 1); q > 1; q >>= 1) {
    const std::uint32_t below = q - 1;
    for (std::size_t i = 0; i < axes; ++i)
      if (x[i] & q) {
        x[0] ^= below;
      } else {
        const std::uint32_t swapped = (x[0] ^ x[i]) & below;
        x[0] ^= swapped, x[i] ^= swapped;
      }
  }
  for (std::size_t i = 1; i < axes; ++i) x[i] ^= x[i - 1];
  std::uint32_t flip = 0;
  for (std::uint32_t q = 1U << (bits - 1); q > 1; q >>= 1)
    if (x[axes - 1] & q) flip ^= q - 1;
  std::uint64_t index = 0;
  for (int bit = bits; bit-- > 0;)
    for (std::size_t i = 0; i < axes; ++i) index = index << 1 | ((x[i] ^ flip) >> bit & 1);
  return index;
}

std::vector<std::uint64_t> places_on_curve(const Places& places) {
  constexpr int bits = 20;
  std::array<double, 3> low, high;
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-std::numeric_limits<double>::infinity());
  for (const auto& place : places)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], place[axis]);
      high[axis] = std::max(high[axis], place[axis]);
    }
  double side = 0;
  std::vector<std::size_t> axes;  // along which there is something
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (high[axis] > low[axis]) axes.push_back(axis);
    side = std::max(side, high[axis] - low[axis]);
  }
  std::vector<std::uint64_t> along(places.size(), 0);
  if (axes.empty()) return along;
  for (std::size_t v = 0; v < places.size(); ++v) {
    std::array<std::uint32_t, 3> cell{};
    for (std::size_t i = 0; i < axes.size(); ++i)
      cell[i] = static_cast<std::uint32_t>((places[v][axes[i]] - low[axes[i]]) / side *
                                           ((1U << bits) - 1));
    along[v] = along_curve(cell, axes.size(), bits);
  }
  return along;
}

std::vector<int> by_curve(const Graph& graph, int parts) {
  const auto along = places_on_curve(graph.places.empty() ? embedded(graph) : graph.places);
  std::vector<std::size_t> order(along.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t v) { return along[v]; });
  const auto work = [&](std::size_t v) {
    return graph.weights.empty() ? 1.0 : static_cast<double>(graph.weights[v]);
  };
  double all = 0, before = 0;
  for (const std::size_t v : order) all += work(v);
  std::vector<int> part(order.size());
  for (const std::size_t v : order) {
    part[v] = std::min(parts - 1, static_cast<int>((before + work(v) / 2) / all * parts));
    before += work(v);
  }
  return part;
}

#ifdef HALOCLINE_HAVE_METIS

std::vector<idx_t> numbers(const auto& list) {
  return std::vector<idx_t>(list.begin(), list.end());
}

/// METIS adds weights up in its own integers: they are scaled down where those are too short. Each
/// is at least `least`: METIS writes beyond its memory where edges weigh nothing.
std::vector<idx_t> summable(const std::vector<int>& weights, idx_t least) {
  constexpr auto most = static_cast<double>(std::numeric_limits<idx_t>::max() / 2);
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<idx_t> scaled = numbers(weights);
  for (idx_t& weight : scaled) {
    if (all > most && weight > 0)
      weight = 1 + static_cast<idx_t>(static_cast<double>(weight) / all * most);
    weight = std::max(weight, least);
  }
  return scaled;
}

bool metis_counts(const Graph& graph) {
  return std::in_range<idx_t>(graph.begin.back());
}

std::vector<int> by_metis(const Graph& graph, int parts) {
  if (!metis_counts(graph))
    throw Error("partition: the graph has " + std::to_string(graph.begin.back() / 2) +
                " edges, more than this METIS can count; use curve");
  std::vector<idx_t> begin = numbers(graph.begin), neighbours = numbers(graph.neighbours),
                     weights = summable(graph.weights, 0), edges = summable(graph.edge_weights, 1),
                     part(static_cast<std::size_t>(graph.vertices()));
  std::array<idx_t, METIS_NOPTIONS> options;
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = 1;
  idx_t vertices = graph.vertices(), constraints = 1, count = parts, cut = 0;
  // With few vertices a part, the k-way method leaves some empty.
  const auto cut_into =
      graph.vertices() / parts < 16 ? METIS_PartGraphRecursive : METIS_PartGraphKway;
  const int status = cut_into(&vertices, &constraints, begin.data(), neighbours.data(),
                              weights.empty() ? nullptr : weights.data(), nullptr,
                              edges.empty() ? nullptr : edges.data(), &count, nullptr, nullptr,
                              options.data(), &cut, part.data());
  if (status != METIS_OK) throw Error("partition: METIS fails with " + std::to_string(status));
  return {part.begin(), part.end()};
}

#else

bool metis_counts(const Graph&) {
  return false;
}

std::vector<int> by_metis(const Graph&, int) {
  throw Error("partition: the library was built without METIS (libmetis-dev); use curve");
}

#endif

int weight_of(const Graph& graph, int vertex) {
  return graph.weights.empty() ? 1 : graph.weights[static_cast<std::size_t>(vertex)];
}

void expect_each(const char* what, std::size_t given, const char* of, std::size_t there) {
  if (given != 0 && given != there)
    throw Error("partition: " + std::to_string(given) + " " + what + " for " +
                std::to_string(there) + " " + of);
}

/// Throws Error unless it is a graph, and there is something to share.
void check(const Graph& graph) {
  const auto vertices = static_cast<std::size_t>(graph.vertices());
  expect_each("weights", graph.weights.size(), "vertices", vertices);
  expect_each("places", graph.places.size(), "vertices", vertices);
  expect_each("weights of edges", graph.edge_weights.size(), "neighbours", graph.neighbours.size());
  if (graph.begin.front() != 0 || graph.begin.back() != std::ssize(graph.neighbours) ||
      !std::ranges::is_sorted(graph.begin))
    throw Error("partition: where the neighbours of vertices begin must rise from 0 to " +
                std::to_string(graph.neighbours.size()) + ", their number");
  const auto vertex = [&](auto found, const auto& list) {
    return "partition: vertex " + std::to_string(found - list.begin()) + " ";
  };
  if (const auto negative = std::ranges::find_if(graph.weights, [](int w) { return w < 0; });
      negative != graph.weights.end())
    throw Error(vertex(negative, graph.weights) + "has the weight " + std::to_string(*negative) +
                "; it must be >= 0");
  if (const auto nowhere = std::ranges::find_if_not(
          graph.places,
          [](const auto& place) {
            return std::ranges::all_of(place, [](double x) { return std::isfinite(x); });
          });
      nowhere != graph.places.end())
    throw Error(vertex(nowhere, graph.places) + "has a place that is no number");
  for (int v = 0; v < graph.vertices(); ++v)
    for (const int neighbour : graph.of(v))
      if (neighbour < 0 || neighbour >= graph.vertices())
        throw Error("partition: vertex " + std::to_string(v) + " has the neighbour " +
                    std::to_string(neighbour) + " of " + std::to_string(vertices));
  if (const auto negative = std::ranges::find_if(graph.edge_weights, [](int w) { return w < 0; });
      negative != graph.edge_weights.end())
    throw Error(
        "partition: an edge to vertex " +
        std::to_string(
            graph.neighbours[static_cast<std::size_t>(negative - graph.edge_weights.begin())]) +
        " has the weight " + std::to_string(*negative) + "; it must be >= 0");
  if (!graph.weights.empty() && std::ranges::count(graph.weights, 0) == std::ssize(graph.weights))
    throw Error("partition: all vertices have the weight 0, so that there is nothing to share");
}

/// The vertices that weigh more than a part is to have, the heaviest first: each is a part by
/// itself, and the others share the remaining parts.
std::vector<int> heavy_vertices(const Graph& graph, int parts) {
  if (graph.weights.empty()) return {};
  std::vector<int> order(graph.weights.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&](int v) { return weight_of(graph, v); });
  std::int64_t rest = std::accumulate(graph.weights.begin(), graph.weights.end(), std::int64_t{0});
  std::size_t heavy = 0;
  for (; parts > 1 && std::int64_t{weight_of(graph, order[heavy])} * parts > rest; ++heavy) {
    rest -= weight_of(graph, order[heavy]);
    --parts;
  }
  order.resize(heavy);
  return order;
}

/// The graph of those vertices that have no part yet.
Graph remaining(const Graph& graph, const std::vector<int>& part) {
  std::vector<int> number(part.size(), -1);
  int count = 0;
  for (std::size_t v = 0; v < part.size(); ++v)
    if (part[v] < 0) number[v] = count++;
  Graph some;
  for (int v = 0; v < graph.vertices(); ++v) {
    const auto at = static_cast<std::size_t>(v);
    if (part[at] >= 0) continue;
    for (auto i = static_cast<std::size_t>(graph.begin[at]);
         i < static_cast<std::size_t>(graph.begin[at + 1]); ++i)
      if (const int other = number[static_cast<std::size_t>(graph.neighbours[i])]; other >= 0) {
        some.neighbours.push_back(other);
        if (!graph.edge_weights.empty()) some.edge_weights.push_back(graph.edge_weights[i]);
      }
    some.begin.push_back(std::ssize(some.neighbours));
    some.weights.push_back(weight_of(graph, v));
    if (!graph.places.empty()) some.places.push_back(graph.places[at]);
  }
  // Where nothing is left to share, as many vertices.
  if (std::ranges::max(some.weights) == 0) some.weights.clear();
  return some;
}

std::vector<int> cut(const Graph& graph, int parts, Partitioner by) {
  if (parts == 1) return std::vector<int>(static_cast<std::size_t>(graph.vertices()), 0);
  return by == Partitioner::metis ? by_metis(graph, parts) : by_curve(graph, parts);
}

/// A part without vertices gets one of the part that weighs most of those that have several.
void fill_empty(const Graph& graph, std::vector<int>& part, int parts) {
  std::vector<std::vector<int>> members(static_cast<std::size_t>(parts));
  for (int v = 0; v < graph.vertices(); ++v)
    members[static_cast<std::size_t>(part[static_cast<std::size_t>(v)])].push_back(v);
  if (std::ranges::none_of(members, &std::vector<int>::empty)) return;
  const auto weight = [&](int v) { return weight_of(graph, v); };
  std::priority_queue<std::pair<std::int64_t, std::size_t>> heaviest;
  for (std::size_t p = 0; p < members.size(); ++p) {
    if (members[p].size() < 2) continue;
    std::ranges::stable_sort(members[p], {}, weight);
    std::int64_t all = 0;
    for (const int v : members[p]) all += weight(v);
    heaviest.emplace(all, p);
  }
  for (std::size_t p = 0; p < members.size(); ++p) {
    if (!members[p].empty()) continue;
    const auto [all, from] = heaviest.top();
    heaviest.pop();
    const int moved = members[from].back();
    members[from].pop_back();
    part[static_cast<std::size_t>(moved)] = static_cast<int>(p);
    if (members[from].size() > 1) heaviest.emplace(all - weight(moved), from);
  }
}

}  // namespace

bool has_metis() {
#ifdef HALOCLINE_HAVE_METIS
  return true;
#else
  return false;
#endif
}

Partitioner partitioner(std::string_view text) {
  if (text == "best") return Partitioner::best;
  if (text == "metis") return Partitioner::metis;
  if (text == "curve") return Partitioner::curve;
  throw Error("partitioner '" + std::string(text) + "': must be best, metis or curve");
}

std::vector<int> partition_graph(const Graph& graph, int parts, Partitioner by) {
  if (parts < 1 || parts > graph.vertices())
    throw Error("partition: " + std::to_string(graph.vertices()) + " vertices cannot be cut into " +
                std::to_string(parts) + " parts");
  check(graph);
  if (by == Partitioner::best) by = metis_counts(graph) ? Partitioner::metis : Partitioner::curve;
  const std::vector<int> heavy = heavy_vertices(graph, parts);
  std::vector<int> part;
  if (heavy.empty()) {
    part = cut(graph, parts, by);
  } else {
    const int others = parts - static_cast<int>(heavy.size());
    part.assign(static_cast<std::size_t>(graph.vertices()), -1);
    for (std::size_t i = 0; i < heavy.size(); ++i)
      part[static_cast<std::size_t>(heavy[i])] = others + static_cast<int>(i);
    const std::vector<int> rest = cut(remaining(graph, part), others, by);
    std::size_t next = 0;
    for (int& one : part)
      if (one < 0) one = rest[next++];
  }
  fill_empty(graph, part, parts);
  return part;
}

}  // namespace halocline
