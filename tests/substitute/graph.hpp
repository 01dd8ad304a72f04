#pragma once
// Graphs of communication for the tests of neighbourhood collectives.

#include "checked.hpp"

#include <map>
#include <utility>
#include <vector>

namespace checked {

struct Graph {
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<int> in, out;
  std::vector<int> in_edge, out_edge;  // numbers among those between the same two ranks

  void add(int from, int to, int number) {
    if (from == me) out.push_back(to), out_edge.push_back(number);
    if (to == me) in.push_back(from), in_edge.push_back(number);
  }
  void make() {
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(in.size()), in.data(),
                                   MPI_UNWEIGHTED, static_cast<int>(out.size()), out.data(),
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  }
};

/// Random edges, several between the same ranks and some to a rank itself; the same on all ranks.
inline Graph random_graph(Stream& stream) {
  Graph graph;
  std::map<std::pair<int, int>, int> numbers;
  const int count = 1 + stream.below(3 * ranks);
  for (int i = 0; i < count; ++i) {
    const int from = stream.below(ranks), to = stream.below(ranks);
    graph.add(from, to, numbers[{from, to}]++);
  }
  graph.make();
  return graph;
}

}  // namespace checked
