#pragma once
// What is asked of a plan, as words, and the plan.

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace haloplan {

struct Request {
  std::string mesh;        ///< cells along each axis, slowest first: "1800x580"
  std::string halo = "1";  ///< width, or one for each axis
  std::string machine;     ///< as Machine::described; empty: one node
  std::string dims;        ///< of the sequential way; empty: those that `Grid` takes
  int ranks = 0;
  std::vector<int> periodic;  ///< axes
};

/// Places, and for both ways, `sequential` and `placed`, the process grid, the position of each
/// rank and what crosses nodes, sockets and cores. Throws halocline::Error where words do not fit.
nlohmann::json plan(const Request& request);

}  // namespace haloplan
