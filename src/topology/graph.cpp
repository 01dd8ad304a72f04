// Graphs: from edges, of parts, and what a rank has of one.

#include <halocline/error.hpp>
#include <halocline/more/partition.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <string>

namespace halocline {

Graph Graph::of_edges(int vertices, std::vector<std::pair<int, int>> edges) {
  const std::size_t given = edges.size();
  for (std::size_t i = 0; i < given; ++i) {
    const auto [a, b] = edges[i];
    for (const int vertex : {a, b})
      if (vertex < 0 || vertex >= vertices)
        throw Error("graph: an edge ends at vertex " + std::to_string(vertex) + " of " +
                    std::to_string(vertices));
    edges.emplace_back(b, a);
  }
  std::erase_if(edges, [](const auto& edge) { return edge.first == edge.second; });
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  Graph graph;
  graph.begin.assign(static_cast<std::size_t>(vertices) + 1, 0);
  for (const auto& [from, to] : edges) {
    ++graph.begin[static_cast<std::size_t>(from) + 1];
    graph.neighbours.push_back(to);
  }
  std::partial_sum(graph.begin.begin(), graph.begin.end(), graph.begin.begin());
  return graph;
}

Graph graph_of_parts(const Graph& graph, std::span<const int> part, int parts) {
  if (part.size() != static_cast<std::size_t>(graph.vertices()))
    throw Error("graph: the parts of " + std::to_string(part.size()) + " vertices, of " +
                std::to_string(graph.vertices()));
  // Where one part needs another's vertices, that one needs some of its own: edges go both ways.
  std::map<std::pair<int, int>, std::int64_t> words;
  std::vector<std::int64_t> weights(static_cast<std::size_t>(parts), 0);
  std::vector<int> others;
  for (int v = 0; v < graph.vertices(); ++v) {
    const int mine = part[static_cast<std::size_t>(v)];
    if (mine < 0 || mine >= parts)
      throw Error("graph: vertex " + std::to_string(v) + " is in part " + std::to_string(mine) +
                  " of " + std::to_string(parts));
    weights[static_cast<std::size_t>(mine)] +=
        graph.weights.empty() ? 1 : graph.weights[static_cast<std::size_t>(v)];
    others.clear();
    for (const int neighbour : graph.of(v))
      if (const int other = part[static_cast<std::size_t>(neighbour)]; other != mine)
        others.push_back(other);
    std::ranges::sort(others);
    others.erase(std::unique(others.begin(), others.end()), others.end());
    const int size = graph.sizes.empty() ? 1 : graph.sizes[static_cast<std::size_t>(v)];
    for (const int other : others) words[{mine, other}] += size;
  }
  Graph made;
  // Work is only compared: where it is too much for its type, all of it is scaled down.
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  const std::int64_t unit = weights.empty() ? 1 : 1 + std::ranges::max(weights) / (most + 1);
  for (const std::int64_t weight : weights)
    made.weights.push_back(static_cast<int>((weight + unit - 1) / unit));
  made.begin.assign(static_cast<std::size_t>(parts) + 1, 0);
  for (const auto& [edge, count] : words) {
    ++made.begin[static_cast<std::size_t>(edge.first) + 1];
    made.neighbours.push_back(edge.second);
    if (count > most)
      throw Error("graph: part " + std::to_string(edge.first) + " sends part " +
                  std::to_string(edge.second) + " " + std::to_string(count) +
                  " words, which are more than " + std::to_string(most));
    made.edge_weights.push_back(static_cast<int>(count));
  }
  std::partial_sum(made.begin.begin(), made.begin.end(), made.begin.begin());
  return made;
}

GraphPart part_of(const Graph& graph, std::span<const int> owner, int rank) {
  if (owner.size() != static_cast<std::size_t>(graph.vertices()))
    throw Error("graph: " + std::to_string(owner.size()) + " owners of " +
                std::to_string(graph.vertices()) + " vertices");
  GraphPart mine;
  std::map<int, std::vector<int>> needed, needs;  // by rank: of theirs, of mine
  for (int v = 0; v < graph.vertices(); ++v) {
    if (owner[static_cast<std::size_t>(v)] != rank) continue;
    mine.owned.push_back(v);
    for (const int neighbour : graph.of(v))
      if (const int other = owner[static_cast<std::size_t>(neighbour)]; other != rank) {
        needed[other].push_back(neighbour);
        needs[other].push_back(v);
      }
  }
  std::vector<int> targets, sources;
  std::vector<std::vector<std::ptrdiff_t>> sends, receives;
  for (auto& [other, vertices] : needs) {
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    targets.push_back(other);
    auto& list = sends.emplace_back();
    for (const int v : vertices)
      list.push_back(std::ranges::lower_bound(mine.owned, v) - mine.owned.begin());
  }
  for (auto& [other, vertices] : needed) {
    std::ranges::sort(vertices);
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    sources.push_back(other);
    auto& list = receives.emplace_back(vertices.size());
    std::iota(list.begin(), list.end(),
              static_cast<std::ptrdiff_t>(mine.owned.size() + mine.halo.size()));
    mine.halo.insert(mine.halo.end(), vertices.begin(), vertices.end());
  }
  mine.pattern = Pattern::from_indices(targets, sends, sources, receives);
  return mine;
}

}  // namespace halocline
