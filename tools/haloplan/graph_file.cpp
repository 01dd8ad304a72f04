#include "graph_file.hpp"

#include <formats/lines.hpp>
#include <formats/market.hpp>
#include <formats/metis.hpp>
#include <machine/memory.hpp>

#include <limits>

namespace haloplan {

using namespace halocline;
using formats::Lines;

namespace {

Graph graph_of_matrix(Lines& lines) {
  const formats::MarketHeader header = read_market_header(lines, {.array = false, .complex = true});
  if (header.rows != header.columns)
    lines.refuse("is " + std::to_string(header.rows) + " x " + std::to_string(header.columns) +
                 ", but must be square to be a graph");
  if (header.rows < 1 || header.rows > std::numeric_limits<int>::max() - 1)
    lines.refuse("has " + std::to_string(header.rows) + " rows, but a graph has from 1 to " +
                 std::to_string(std::numeric_limits<int>::max() - 1));
  // A graph without edges needs this, too.
  machine::check_memory(sizeof(std::int64_t) * static_cast<double>(header.rows), "haloplan");
  std::vector<std::pair<int, int>> edges;
  for (const formats::Entry& entry : read_entries(lines, header))
    edges.emplace_back(static_cast<int>(entry.row), static_cast<int>(entry.column));
  return Graph::of_edges(static_cast<int>(header.rows), std::move(edges));
}

Graph graph_of(Lines& lines) {
  if (is_market(lines)) return graph_of_matrix(lines);
  formats::MetisGraph read = read_metis(lines);
  Graph graph;
  graph.begin = std::move(read.begin);
  graph.neighbours = std::move(read.neighbours);
  graph.edge_weights = std::move(read.edge_weights);
  graph.weights = std::move(read.weights);
  graph.sizes = std::move(read.sizes);
  return graph;
}

}  // namespace

Graph read_graph(const std::string& file) {
  Lines lines(file);
  return graph_of(lines);
}

std::vector<int> read_parts(const std::string& file, int vertices) {
  Lines lines(file);
  std::vector<int> part;
  while (lines.next()) {
    if (lines.words().empty() || lines.words()[0].starts_with('%')) continue;
    const int of_vertex = lines.as<int>(0, "part");
    lines.at_most(1);
    if (of_vertex < 0 || of_vertex >= vertices)
      lines.refuse("part " + std::to_string(of_vertex) + " must be a whole number from 0 to " +
                   std::to_string(vertices - 1));
    part.push_back(of_vertex);
  }
  if (part.size() != static_cast<std::size_t>(vertices))
    lines.refuse("has the parts of " + std::to_string(part.size()) + " vertices, not of " +
                 std::to_string(vertices));
  return part;
}

}  // namespace haloplan
