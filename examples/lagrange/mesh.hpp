#pragma once
// The mesh: hexahedra that move with the material. Ranks stand in a cube or a row, and each has a
// copy of the nodes that its elements touch: those in its outer planes are in other ranks, too.

#include <mpi.h>

#include <array>
#include <cstdint>
#include <vector>

namespace lagrange {

/// A rank's part: `side`^3 elements, (`side` + 1)^3 nodes, number ((k * n) + j) * n + i of which
/// lies at place (k, j, i).
struct Part {
  int side;
  std::array<int, 3> ranks, mine;  ///< of ranks along each axis, slowest first; my place among them

  int nodes_a_side() const { return side + 1; }
  int nodes() const { return nodes_a_side() * nodes_a_side() * nodes_a_side(); }
  /// The rank next to mine along an axis (`step` -1 or 1); MPI_PROC_NULL: there is none.
  int neighbour(int axis, int step) const;
};

/// A cube of ranks if their number is that of a cube, else a row.
Part make_part(MPI_Comm comm, int side);

/// What a rank knows of its part of the material, and what happens to it in a step.
class Material {
 public:
  explicit Material(const Part& part);

  std::array<std::vector<double>, 3> place, speed, force;  ///< of nodes, z first
  std::vector<double> mass;                                ///< of nodes: from my elements at first

  /// What my elements do to their nodes.
  void push();
  /// Forces, which are whole now, move the nodes for this time.
  void move(double time);
  /// Elements get hotter or colder as they shrink or grow. Returns the longest next step that is
  /// safe.
  double squeeze();

  double energy() const;  ///< of my elements, and of the nodes that count as mine
  std::uint64_t checksum() const;

 private:
  template <class Visit>
  void each_element(Visit&& visit) const;
  /// Whether no rank before me has a copy of this node.
  bool mine(int k, int j, int i) const;

  Part part_;
  std::vector<double> heat_, volume_, drag_, element_mass_;  // of elements
  double last_step_ = 0;
};

}  // namespace lagrange
