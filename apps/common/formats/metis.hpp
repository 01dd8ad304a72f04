#pragma once
// Graphs as METIS and its kin read them (G. Karypis, METIS 5.1.0 manual, section 4.1.1): a line
// with the numbers of vertices and edges, a format and a number of weights, then a line for each
// vertex.

#include "lines.hpp"

#include <cstdint>
#include <vector>

namespace formats {

/// The neighbours of vertex v, from 0 and ascending, are those from `begin[v]` to `begin[v + 1]`.
/// Lists that the file does not have are empty: all are 1.
struct MetisGraph {
  std::vector<std::int64_t> begin{0};
  std::vector<int> neighbours{}, edge_weights{};
  std::vector<int> weights{}, sizes{};  ///< of each vertex: its work, what it sends
};

/// Reads all lines. Throws halocline::Error with file and line unless each edge is there once from
/// both ends, with the same weight, and no total passes what an int holds.
MetisGraph read_metis(Lines& lines);

}  // namespace formats
