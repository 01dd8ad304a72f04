#pragma once
// Partitions: an unstructured mesh cut into parts, one a rank, and the parts numbered so that the
// fewest words cross nodes. No MPI call.

#include <halocline/more/placement.hpp>
#include <halocline/pattern.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline {

/// Vertices and their neighbours: the neighbours of vertex v are those from `begin[v]` to
/// `begin[v + 1]`. Symmetric, without loops.
struct Graph {
  std::vector<std::int64_t> begin{0};
  std::vector<int> neighbours{};
  std::vector<int> edge_weights{};              ///< of each neighbour; empty: 1
  std::vector<int> weights{};                   ///< work of each vertex, from 0 on; empty: 1
  std::vector<std::array<double, 3>> places{};  ///< of each vertex in space; empty: unknown
  std::vector<int> sizes{};                     ///< words that a vertex sends; empty: 1

  int vertices() const noexcept { return static_cast<int>(begin.size()) - 1; }
  std::span<const int> of(int vertex) const {
    const auto v = static_cast<std::size_t>(vertex);
    return std::span(neighbours)
        .subspan(static_cast<std::size_t>(begin[v]),
                 static_cast<std::size_t>(begin[v + 1] - begin[v]));
  }
  /// From pairs in any order, either way or both; loops and repetitions are left out. Throws Error
  /// on a vertex that is not there.
  static Graph of_edges(int vertices, std::vector<std::pair<int, int>> edges);
};

enum class Partitioner {
  best,   ///< METIS where the library was built with it, else the curve
  metis,  ///< multilevel k-way (G. Karypis, V. Kumar, https://doi.org/10.1006/jpdc.1997.1404)
  curve,  ///< along Hilbert's curve, cut into pieces of equal work
};
Partitioner partitioner(std::string_view text);  ///< "best", "metis" or "curve"; throws Error
bool has_metis();

/// The part of each vertex: parts of about equal work, between which few vertices are needed. The
/// curve goes through the places of the vertices; where these are unknown, through their distances
/// from three vertices that are far from each other. No part is empty, and a vertex that weighs
/// more than a part is to have is a part by itself. Parts are numbered as the partitioner does,
/// those of such vertices last; deterministic. Throws Error if there are fewer vertices than parts,
/// it is no graph, a weight is negative or all of them are 0, or METIS is asked for and missing.
std::vector<int> partition_graph(const Graph& graph, int parts, Partitioner by = Partitioner::best);

/// The parts as a graph: vertices weigh their work; a part's edge to another one the words that it
/// sends there in one exchange of halos, where a vertex is sent once to each part that needs it.
/// Work beyond 2^31 is scaled down, that of all parts alike. Throws Error if a part is none of
/// them.
Graph graph_of_parts(const Graph& graph, std::span<const int> part, int parts);

/// The group of each part: group i has exactly `sizes[i]` parts, and groups send few words to each
/// other. By growing groups and swapping parts (B. W. Kernighan and S. Lin,
/// https://doi.org/10.1002/j.1538-7305.1970.tb01770.x). Throws Error if the sizes are not those of
/// all parts together.
std::vector<int> group_parts(const Graph& parts, const std::vector<int>& sizes);

/// The rank of each part, so that the fewest words cross nodes, then sockets. It combines parts
/// into groups of exactly the ranks of a socket, and these into groups of exactly the sockets of a
/// node (R. Rabenseifner's recombination, bottom up), and numbers them as the ranks there. If nodes
/// are not alike, or if it costs less, it fills nodes first. Never worse than parts in the order of
/// ranks. Throws Error if there are more parts than ranks of the machine.
std::vector<int> best_ranks(const Graph& parts, const Machine& machine);

/// What one exchange of halos sends across nodes and sockets if rank `rank[part]` has a part.
Traffic traffic_of(const Graph& parts, const Machine& machine, std::span<const int> rank);

/// One rank's part of a graph: an array of its own vertices, then those it needs of others.
struct GraphPart {
  std::vector<int> owned{};  ///< numbers of its vertices in the graph, ascending
  std::vector<int> halo{};   ///< of others: by rank, ascending
  Pattern pattern{};         ///< of elements of that array
};
/// `owner[v]` is the rank that has vertex v. Arithmetic: each rank knows the whole graph.
GraphPart part_of(const Graph& graph, std::span<const int> owner, int rank);

}  // namespace halocline

#pragma GCC visibility pop
