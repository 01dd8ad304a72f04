// Meshes into parts: along a space-filling curve, or by METIS.

#include <halocline/error.hpp>
#include <halocline/more/partition.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

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

std::vector<int> by_metis(const Graph& graph, int parts) {
  const auto numbers = [](const auto& list) {
    return std::vector<idx_t>(list.begin(), list.end());
  };
  std::vector<idx_t> begin = numbers(graph.begin), neighbours = numbers(graph.neighbours),
                     weights = numbers(graph.weights), edges = numbers(graph.edge_weights),
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

std::vector<int> by_metis(const Graph&, int) {
  throw Error("partition: the library was built without METIS (libmetis-dev); use curve");
}

#endif

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
  const auto vertices = static_cast<std::size_t>(graph.vertices());
  if (parts < 1 || parts > graph.vertices())
    throw Error("partition: " + std::to_string(graph.vertices()) + " vertices cannot be cut into " +
                std::to_string(parts) + " parts");
  if (!graph.weights.empty() && graph.weights.size() != vertices)
    throw Error("partition: " + std::to_string(graph.weights.size()) + " weights for " +
                std::to_string(vertices) + " vertices");
  if (!graph.places.empty() && graph.places.size() != vertices)
    throw Error("partition: " + std::to_string(graph.places.size()) + " places for " +
                std::to_string(vertices) + " vertices");
  const auto negative = std::ranges::find_if(graph.weights, [](int weight) { return weight < 0; });
  if (negative != graph.weights.end())
    throw Error("partition: vertex " + std::to_string(negative - graph.weights.begin()) +
                " has the weight " + std::to_string(*negative) + "; it must be >= 0");
  if (!graph.weights.empty() && std::ranges::count(graph.weights, 0) == std::ssize(graph.weights))
    throw Error("partition: all vertices have the weight 0, so that there is nothing to share");
  if (by == Partitioner::best) by = has_metis() ? Partitioner::metis : Partitioner::curve;
  if (parts == 1) return std::vector<int>(vertices, 0);
  return by == Partitioner::metis ? by_metis(graph, parts) : by_curve(graph, parts);
}

}  // namespace halocline
