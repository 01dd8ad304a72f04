#pragma once
// What is asked of a plan, as words, and the plan.

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace haloplan {

struct Request {
  std::string mesh;         ///< cells along each axis, slowest first: "1800x580"; or
  std::string graph;        ///< a file, as read_graph
  std::string parts;        ///< of the graph: a file, as read_parts; empty: it is cut here
  std::string by = "best";  ///< how, as halocline::partitioner
  std::string halo = "1";   ///< width, or one for each axis
  std::string machine;      ///< as Machine::described; empty: one node
  std::string dims;         ///< of the sequential way; empty: those that `Grid` takes
  int ranks = 0;
  std::vector<int> periodic;  ///< axes
};

/// The nodes' names, each rank's place, and for each of the `ways` what crosses nodes, sockets and
/// cores. Of a mesh the process grid and the part of each rank, in the order of ranks
/// (`sequential`) and `placed`; of a graph the rank of each part, and before these two what its
/// vertices make in the order of their numbers (`numbered`). Throws halocline::Error where words do
/// not fit.
nlohmann::json plan(const Request& request);

}  // namespace haloplan
