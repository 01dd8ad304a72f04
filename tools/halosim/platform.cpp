#include "platform.hpp"

#include <base/text.hpp>
#include <frame/lists.hpp>
#include <halocline/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>

using halocline::Error;

namespace halosim {

namespace {

constexpr double hop_s = 1e-7;
constexpr double unlimited = 1e13;  // bytes a second

int rounded_up(double x) {
  return std::max(1, static_cast<int>(std::ceil(x - 1e-9)));
}

/// For so many nodes or a few more.
std::string parameters_of(const std::string& kind, int nodes) {
  std::ostringstream text;
  if (kind == "fat-tree") {  // two levels of switches, as many links up as down
    const int leaf = rounded_up(std::sqrt(nodes)), leaves = rounded_up(double(nodes) / leaf);
    text << "2;" << leaf << ',' << leaves << ";1," << leaf << ";1,1";
  } else if (kind == "dragonfly") {  // groups, chassis, routers, nodes; a router for each group
    const int routers = rounded_up(std::sqrt(nodes / 4.0));
    const int groups = rounded_up(nodes / (4.0 * routers));
    text << groups << ",1;1,1;" << routers << ",1;4";
  } else {
    const int x = rounded_up(std::cbrt(nodes)), y = rounded_up(std::sqrt(double(nodes) / x));
    text << x << ',' << y << ',' << rounded_up(double(nodes) / (x * y));
  }
  return text.str();
}

/// How many nodes a cluster of these parameters has; 0 if that cannot be said.
std::int64_t hosts_of(const std::string& kind, const std::string& parameters) {
  std::vector<std::vector<std::int64_t>> parts;
  for (const std::string_view part : halocline::base::split(parameters, ';'))
    if (parts.push_back(frame::numbers(part, ',', 1, 999'999)); parts.back().empty()) return 0;
  // SimGrid counts them in an int.
  const auto product = [](const std::vector<std::int64_t>& of) {
    std::int64_t all = 1;
    for (const std::int64_t one : of)
      if ((all *= one) > std::numeric_limits<int>::max()) return std::int64_t{0};
    return all;
  };
  if (kind == "torus") return parts.size() == 1 ? product(parts[0]) : 0;
  if (parts.size() != 4) return 0;
  if (kind == "fat-tree") {
    const auto levels = static_cast<std::size_t>(parts[0][0]);
    const bool whole = parts[0].size() == 1 && parts[1].size() == levels &&
                       parts[2].size() == levels && parts[3].size() == levels;
    return whole ? product(parts[1]) : 0;
  }
  const bool whole =
      parts[0].size() == 2 && parts[1].size() == 2 && parts[2].size() == 2 && parts[3].size() == 1;
  return whole ? product({parts[0][0], parts[1][0], parts[2][0], parts[3][0]}) : 0;
}

std::string name_of(const std::string& kind) {
  if (kind == "fat-tree") return "FAT_TREE";
  return kind == "torus" ? "TORUS" : "DRAGONFLY";
}

}  // namespace

Platform platform(const MachineCosts& machine, const Places& places, const std::string& topology) {
  const auto colon = topology.find(':');
  const std::string kind = topology.substr(0, colon);
  const bool flat = kind == "flat";
  if ((flat && colon != std::string::npos) ||
      (!flat && kind != "fat-tree" && kind != "dragonfly" && kind != "torus"))
    throw Error("topology " + topology +
                ": must be flat, fat-tree, dragonfly or torus; the last three may have SimGrid's "
                "parameters after a colon, as torus:8,8,16");
  std::map<int, int> ranks_of;
  for (const int node : places.node) ++ranks_of[node];
  int nodes = 1, ranks_per_node = 1;
  for (const auto& [node, ranks] : ranks_of) {
    nodes = std::max(nodes, node + 1);
    ranks_per_node = std::max(ranks_per_node, ranks);
  }

  Platform made;
  made.bytes_per_s =
      std::min({machine.rate(Level::network), machine.injection(Level::network), unlimited});
  double latency = std::numeric_limits<double>::infinity();
  for (const char* const moved : {"message", "landing", "fetching", "line"})
    latency = std::min(latency, machine.cost(moved, Level::network, 0).seconds);
  made.nearest_s = flat ? latency : std::min(latency, kind == "torus" ? hop_s : 2 * hop_s);
  const double link_s = kind == "torus" ? made.nearest_s : made.nearest_s / 2;
  const double link_bytes_per_s =
      std::min(machine.injection(Level::network), ranks_per_node * made.bytes_per_s);

  std::ostringstream text;
  text.precision(12);
  std::string parameters;
  std::int64_t hosts = nodes;
  if (!flat) {
    parameters =
        colon == std::string::npos ? parameters_of(kind, nodes) : topology.substr(colon + 1);
    hosts = hosts_of(kind, parameters);
    if (hosts < nodes)
      throw Error("topology " + topology + ": these are not SimGrid's topo_parameters of " +
                  name_of(kind) + " with " + std::to_string(nodes) + " nodes or more");
  }
  text << "<?xml version='1.0'?>\n"
          "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
          "<platform version=\"4.1\">\n"
          "  <cluster id=\"network\" prefix=\"node-\" radical=\"0-"
       << hosts - 1 << "\" suffix=\"\" speed=\"1Gf\" bw=\"" << link_bytes_per_s << "Bps\" lat=\""
       << link_s << "s\"";
  if (!flat)
    text << " topology=\"" << name_of(kind) << "\" topo_parameters=\"" << parameters << '"';
  text << "/>\n</platform>\n";
  made.xml = text.str();
  return made;
}

}  // namespace halosim
