#pragma once
// Particles with Lennard-Jones forces in a periodic box, which is cut into one region for each
// rank.

#include <mpi.h>

#include <array>
#include <cstdint>
#include <vector>

namespace particles {

using Vec = std::array<double, 3>;

/// The regions: a rank's place among them, and its neighbours.
struct Regions {
  std::array<int, 3> ranks, mine;
  double width;  ///< of a region, along each axis

  double length(int axis) const { return width * ranks[axis]; }  ///< of the box
  double low(int axis) const { return width * mine[axis]; }
  double high(int axis) const { return width * (mine[axis] + 1); }
  /// The rank `step` further along the axis, around the box; it may be me.
  int neighbour(int axis, int step) const;
  /// What a position must be shifted by on its way to the region below, and on its way from above.
  double shift_down(int axis) const { return mine[axis] == 0 ? length(axis) : 0; }
  double shift_from_above(int axis) const {
    return mine[axis] + 1 == ranks[axis] ? length(axis) : 0;
  }
};
Regions make_regions(MPI_Comm comm, int cells);

/// A particle on its way to the rank that shall own it.
struct Traveller {
  Vec x, v;
  std::int64_t number;
};

/// The particles of a rank. Positions and forces go on behind its own, with those of ghosts: copies
/// of what lies near in the regions above, along any of the axes. A pair is the business of the one
/// rank that sees both particles in no region above it along the same axis. So ghosts come from one
/// side only, and their forces have to go back.
class System {
 public:
  System(const Regions& regions, int cells);

  static constexpr double reach =
      2.8;  ///< how far a ghost may be away: the forces' range and a skin
  static constexpr int lists_last = 20;  ///< steps

  std::vector<Vec> x, f;  ///< own and ghosts
  std::vector<Vec> v;     ///< own
  std::vector<std::int64_t> number;

  std::size_t own() const { return v.size(); }

  /// Half a step of the speeds, and a whole one of the places.
  void drift();
  void find_forces();
  void kick();  ///< the other half

  /// Before new lists: ghosts are forgotten; particles that have left along this axis are taken
  /// out.
  void forget_ghosts();
  void leaving(int axis, std::vector<Traveller>& down, std::vector<Traveller>& up);
  void arrived(const Traveller& one);
  /// Particles, own and ghosts, that the region below must see as ghosts.
  std::vector<int> near_below(int axis) const;
  void find_pairs();

  double energy() const;  ///< of my particles, and of my pairs
  std::uint64_t checksum() const;

 private:
  Regions regions_;
  std::vector<std::size_t> pairs_begin_;  // of the pairs of each particle with later ones
  std::vector<std::uint32_t> pairs_;
  double potential_ = 0;
};

}  // namespace particles
