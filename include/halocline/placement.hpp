#pragma once
// Placement: process grids that communicate the least, and which rank takes which part. No MPI
// call.

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halocline {

/// One axis' cells of one part: [begin, end).
struct Range {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const noexcept { return end - begin; }
  bool operator==(const Range&) const = default;
};

/// Part `index` of `parts` of `cells`; the first `cells % parts` parts hold one more.
Range part_of(std::int64_t cells, int parts, int index);

/// Halo cells below and above the subdomain along one axis.
struct HaloWidth {
  int below = 1, above = 1;
  HaloWidth(int both = 1) : below(both), above(both) {}
  HaloWidth(int below_, int above_) : below(below_), above(above_) {}
  bool operator==(const HaloWidth&) const = default;
};

/// What cutting each axis costs. Vectors have one entry for each axis, slowest first; `periodic`,
/// `most` and `fixed` may be empty.
struct CutCosts {
  std::vector<double> weights;       ///< what crosses one cutting plane (any unit, 0 or more)
  std::vector<bool> periodic{};      ///< an axis that is cut has one plane more; open by default
  std::vector<std::int64_t> most{};  ///< parts at most; no limit by default
  std::vector<int> fixed{};          ///< parts chosen by hand, 0 where they are free
};

/// Of all ways to write `ranks` as a product over the axes the one whose planes cost least in all;
/// among equals the slowest axis has most parts. With open axes that is the least sum of
/// dims[i] * weights[i]. Exact. Empty if none keeps within `most` and `fixed`; throws Error on
/// negative weights and on vectors of different lengths.
std::vector<int> weighted_dims(int ranks, const CutCosts& costs);

/// The same for as many of the ranks as possible: some stay idle where fewer parts fit.
std::vector<int> fitting_dims(int ranks, const CutCosts& costs);

/// The same over the levels of a machine: `counts` are its nodes, the sockets of a node and the
/// cores of a socket, and the result says how many of each lie along each axis, a row for each
/// level. Least crosses nodes, then sockets, then cores: exact over all ways to write each count as
/// a product (Niethammer and Rabenseifner, https://doi.org/10.1145/3343211.3343217).
std::vector<std::vector<int>> weighted_levels(const std::vector<int>& counts,
                                              const CutCosts& costs);

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

/// A mesh that is cut into parts, one a rank, which exchange halos. An entry for each axis.
struct Mesh {
  std::vector<std::int64_t> cells;
  std::vector<HaloWidth> halos;
  std::vector<bool> periodic;
  /// Halo width times surface, both ways: the words that cross one cutting plane; at most as many
  /// parts as cells.
  CutCosts costs() const;
};

/// A process grid, and the rank that has each part of it.
struct Placement {
  std::vector<int> dims;
  /// Nodes, sockets of a node and cores of a socket along each axis, whose product is `dims`; empty
  /// where they are not boxes.
  std::vector<std::vector<int>> levels;
  /// Of each rank its part: row-major index in the grid. From the product of `dims` on: no part.
  std::vector<int> position;
};

/// Parts in the order of ranks.
Placement sequential(const std::vector<int>& dims, int ranks);

/// The placement in which least crosses nodes, then sockets, then cores. Where all nodes are alike,
/// boxes of parts, exact over all factorisations; where they are not, or where their numbers factor
/// badly, the best of many orders of `fitting_dims`, tile after tile (all shapes of tiles are tried
/// in grids of up to about 1000 parts); never worse than these in sequence. Empty `dims` if no grid
/// keeps within `most` and `fixed`.
Placement place(const CutCosts& costs, const Machine& machine);

/// What one step of halos sends across what. Faces only: corners are a few words more.
struct Traffic {
  struct Share {
    std::int64_t links = 0;  ///< pairs of neighbouring parts
    std::int64_t words = 0;  ///< cells sent, in both directions together
  };
  Share nodes;                                               ///< from node to node
  Share sockets;                                             ///< between sockets of a node
  Share cores;                                               ///< inside sockets
  std::map<std::pair<int, int>, std::int64_t> node_to_node;  ///< words, by sender and receiver
  std::map<int, std::int64_t> by_node{};                     ///< words that each node sends others
  std::int64_t busiest_node = 0;                             ///< the most of them

  /// `words` from one rank to another, which are that many of all pairs of neighbours.
  void add(const Machine::Place& from, const Machine::Place& to, std::int64_t words,
           std::int64_t links);
};
Traffic traffic(const Mesh& mesh, const Machine& machine, const Placement& placement);

}  // namespace halocline
