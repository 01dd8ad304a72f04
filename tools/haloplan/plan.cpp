#include "plan.hpp"

#include "graph_file.hpp"

#include <frame/lists.hpp>
#include <halocline/grid.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>
#include <string_view>

using namespace halocline;
using nlohmann::json;

namespace haloplan {

namespace {

/// Numbers from `least` on, separated by x: "1800x580".
std::vector<std::int64_t> numbers(const char* option, std::string_view text, std::int64_t least) {
  std::vector<std::int64_t> values = frame::numbers(text, 'x', least);
  if (values.empty())
    throw Error(std::string(option) + " " + std::string(text) +
                ": must be whole numbers >= " + std::to_string(least) + ", such as 1800x580");
  return values;
}

Mesh mesh_of(const Request& request) {
  Mesh mesh{numbers("--mesh", request.mesh, 1), {}, {}};
  const std::size_t axes = mesh.cells.size();
  if (axes > 3) throw Error("--mesh " + request.mesh + ": 1 to 3 axes are possible");
  auto halos = numbers("--halo", request.halo, 0);
  if (halos.size() == 1) halos.assign(axes, halos[0]);
  if (halos.size() != axes)
    throw Error("--halo " + request.halo + ": must be one number, or one for each axis of --mesh " +
                request.mesh);
  for (std::int64_t width : halos) {
    if (width > 1'000'000) throw Error("--halo " + request.halo + ": is wider than 1000000");
    mesh.halos.emplace_back(static_cast<int>(width));
  }
  mesh.periodic.assign(axes, false);
  for (int axis : request.periodic) {
    if (axis < 0 || static_cast<std::size_t>(axis) >= axes)
      throw Error("--periodic " + std::to_string(axis) + ": --mesh " + request.mesh +
                  " has the axes 0 to " + std::to_string(axes - 1));
    mesh.periodic[static_cast<std::size_t>(axis)] = true;
  }
  return mesh;
}

/// The process grid by hand, or the one that `Grid` takes.
std::vector<int> dims_of(const Request& request, const Mesh& mesh) {
  if (request.dims.empty()) return fitting_dims(request.ranks, mesh.costs());
  const auto given = numbers("--dims", request.dims, 1);
  std::int64_t parts = 1;
  for (std::size_t axis = 0; axis < given.size(); ++axis) {
    if (given.size() != mesh.cells.size() || given[axis] > mesh.cells[axis] ||
        (parts *= given[axis]) > request.ranks)
      throw Error("--dims " + request.dims + ": does not fit --mesh " + request.mesh + " and " +
                  std::to_string(request.ranks) + " ranks");
  }
  return {given.begin(), given.end()};
}

json share(const Traffic::Share& share) {
  return {{"links", share.links}, {"words", share.words}};
}

json crossing(const Traffic& all, json described) {
  json between = json::array();
  for (const auto& [nodes, words] : all.node_to_node)
    between.push_back({{"from", nodes.first}, {"to", nodes.second}, {"words", words}});
  described.update({{"nodes", share(all.nodes)},
                    {"sockets", share(all.sockets)},
                    {"cores", share(all.cores)},
                    {"busiest_node", all.busiest_node},
                    {"node_to_node", between}});
  return described;
}

json described(const Mesh& mesh, const Machine& machine, const Placement& placement) {
  return crossing(
      traffic_of(mesh, machine, placement),
      {{"dims", placement.dims}, {"levels", placement.levels}, {"position", placement.position}});
}

json of_mesh(const Request& request, const Machine& machine) {
  const Mesh mesh = mesh_of(request);
  const Placement now = sequential_placement(dims_of(request, mesh), request.ranks);
  return {{"mesh", mesh.cells},
          {"ways", {"sequential", "placed"}},
          {"sequential", described(mesh, machine, now)},
          {"placed", described(mesh, machine, best_placement(mesh.costs(), machine))}};
}

std::vector<int> in_sequence(int parts) {
  std::vector<int> ranks(static_cast<std::size_t>(parts));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

json described(const Graph& parts, const Machine& machine, const std::vector<int>& rank) {
  return crossing(traffic_of(parts, machine, rank), {{"rank", rank}});
}

json of_graph(const Request& request, const Machine& machine) {
  const Graph graph = read_graph(request.graph);
  if (!request.dims.empty()) throw Error("--dims: a graph has none");
  if (request.ranks > graph.vertices())
    throw Error("--ranks " + std::to_string(request.ranks) + ": " + request.graph + " has only " +
                std::to_string(graph.vertices()) + " vertices");
  std::vector<int> part;
  if (request.parts.empty()) {
    part = partition_graph(graph, request.ranks, partitioner(request.by));
  } else {
    part = read_parts(request.parts, graph.vertices());
    if (const int most = *std::ranges::max_element(part); most >= request.ranks)
      throw Error("--parts " + request.parts + ": has part " + std::to_string(most) +
                  ", which is too many for " + std::to_string(request.ranks) + " ranks");
  }
  std::vector<int> numbered(part.size());
  for (std::size_t v = 0; v < part.size(); ++v)
    numbered[v] = static_cast<int>(v * static_cast<std::size_t>(request.ranks) / part.size());
  const Graph by_number = graph_of_parts(graph, numbered, request.ranks);
  const Graph parts = graph_of_parts(graph, part, request.ranks);
  const std::vector<int> plain = in_sequence(request.ranks);
  return {{"graph", request.graph},
          {"vertices", graph.vertices()},
          {"edges", graph.neighbours.size() / 2},
          {"ways", {"numbered", "sequential", "placed"}},
          {"part", part},
          {"numbered", described(by_number, machine, plain)},
          {"sequential", described(parts, machine, plain)},
          {"placed", described(parts, machine, best_ranks(parts, machine))}};
}

}  // namespace

json plan(const Request& request) {
  if (request.mesh.empty() == request.graph.empty())
    throw Error("either --mesh or --graph says what is spread over the ranks");
  if (request.graph.empty() && !request.parts.empty())
    throw Error("--parts " + request.parts + ": belongs to a --graph");
  const std::string words =
      request.machine.empty() ? "cores=" + std::to_string(request.ranks) : request.machine;
  const Machine machine = Machine::described(words, request.ranks);
  json plan = request.graph.empty() ? of_mesh(request, machine) : of_graph(request, machine);
  json places = json::array(), hosts = json::array();
  for (int rank = 0; rank < machine.ranks(); ++rank) {
    const auto [node, socket] = machine.place(rank);
    places.push_back({node, socket});
    if (static_cast<std::size_t>(node) == hosts.size()) hosts.push_back(machine.node_name(node));
  }
  plan.update({{"ranks", request.ranks}, {"machine", words}, {"places", places}, {"hosts", hosts}});
  return plan;
}

}  // namespace haloplan
