#pragma once
// The network between nodes as SimGrid reads it: a cluster of one host for each node.

#include "simulator.hpp"

#include <string>

namespace halosim {

struct Platform {
  std::string xml;
  double bytes_per_s = 0;  ///< of one message, alone
  double nearest_s = 0;    ///< latency of the links between two nodes that are nearest
};

/// `topology`: "flat" (nodes at one crossbar), "fat-tree", "dragonfly" or "torus", for as many
/// nodes as there are; or one of the last three with SimGrid's topo_parameters after a colon:
/// "torus:8,8,16". Links have the rate at which the machine file lets bytes out of a node. Those of
/// a flat network have the least of its latencies, too; others take 100 ns each. What a message
/// takes longer in the file is the nodes' own. Throws halocline::Error on another topology.
Platform platform(const MachineCosts& machine, const Places& places, const std::string& topology);

}  // namespace halosim
