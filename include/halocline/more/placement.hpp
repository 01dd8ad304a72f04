#pragma once
// Placement: which rank takes which part of a process grid. No MPI call.

#include <halocline/more/dims.hpp>

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline {

/// Which ranks share a node, and in it a socket (or a NUMA domain).
class Machine {
 public:
  struct Place {
    int node = 0;
    int socket = 0;  ///< of its node
    auto operator<=>(const Place&) const = default;
  };
  /// Where each rank is, and the names of nodes, if they have any. Throws Error if there are none.
  explicit Machine(std::vector<Place> places, std::vector<std::string> hosts = {});
  /// From words, ranks in order: "nodes=4,sockets=2,cores=6", or, where nodes have different
  /// numbers of ranks, "ranks=12+12+10,sockets=2" or their names as host lists have them,
  /// "hosts=a:12,b:12,c:10,sockets=2". `sockets` and `nodes` may be left out. Throws Error if that
  /// is not what it says or not a machine of `ranks` ranks.
  static Machine described(std::string_view text, int ranks);

  int ranks() const noexcept { return static_cast<int>(places_.size()); }
  /// Its name, or its number where it has none.
  std::string node_name(int node) const;
  const Place& place(int rank) const { return places_[static_cast<std::size_t>(rank)]; }
  /// The ranks by node, socket and number.
  const std::vector<int>& in_order() const noexcept { return order_; }
  /// Nodes, sockets of a node, cores of a socket; empty where they are not everywhere as many.
  const std::vector<int>& counts() const noexcept { return counts_; }

 private:
  std::vector<Place> places_;
  std::vector<int> order_, counts_;
  std::vector<std::string> hosts_;
};

/// A process grid, and the rank that has each part of it.
struct Placement {
  std::vector<int> dims;
  /// Nodes, sockets of a node and cores of a socket along each axis, whose product is `dims`; empty
  /// where they are not boxes.
  std::vector<std::vector<int>> levels;
  /// The part of each rank: its row-major index in the grid. Numbers from the product of `dims` on
  /// mean no part.
  std::vector<int> position;
};

/// Parts in the order of ranks.
Placement sequential_placement(const std::vector<int>& dims, int ranks);

/// The placement in which the fewest words cross nodes, then sockets, then cores. If all nodes are
/// alike, it consists of boxes of parts, exact over all factorisations. If they are not, or if
/// their numbers factor badly, it is the best of many orders of `fitting_dims`, tile after tile (in
/// grids of up to about 1000 parts it tries all shapes of tiles); never worse than these in
/// sequence. Empty `dims` if no grid keeps within `most` and `fixed`.
Placement best_placement(const CutCosts& costs, const Machine& machine);

/// What one step of halos sends across nodes, sockets and cores. Faces only: corners are a few
/// words more.
struct Traffic {
  struct Share {
    std::int64_t links = 0;  ///< pairs of neighbouring parts
    std::int64_t words = 0;  ///< cells sent, in both directions together
  };
  Share nodes{};                                               ///< from node to node
  Share sockets{};                                             ///< between sockets of a node
  Share cores{};                                               ///< inside sockets
  std::map<std::pair<int, int>, std::int64_t> node_to_node{};  ///< words, by sender and receiver
  std::map<int, std::int64_t> by_node{};  ///< words that each node sends others
  std::int64_t busiest_node = 0;          ///< the most of them

  /// `words` from one rank to another, which are that many of all pairs of neighbours.
  void add(const Machine::Place& from, const Machine::Place& to, std::int64_t words,
           std::int64_t links);
};
Traffic traffic_of(const Mesh& mesh, const Machine& machine, const Placement& placement);

}  // namespace halocline

#pragma GCC visibility pop
