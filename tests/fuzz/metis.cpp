// Graphs in METIS' format.

#include "fuzz.hpp"

#include <formats/metis.hpp>

namespace {

void read(std::string_view text) {
  formats::Lines lines(text, "f", 0);
  const formats::MetisGraph graph = read_metis(lines);
  fuzz::must(graph.begin.back() == std::ssize(graph.neighbours));
  for (const int neighbour : graph.neighbours)
    fuzz::must(neighbour >= 0 && neighbour + 1 < std::ssize(graph.begin));
  fuzz::must(graph.edge_weights.empty() || graph.edge_weights.size() == graph.neighbours.size());
}

const fuzz::Target target("metis", read);

}  // namespace
