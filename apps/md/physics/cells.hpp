#pragma once
// Linked cells: a rank's region cut into cells at least as wide as forces reach, in a layer of
// cells for ghosts. Who interacts with a particle is in its cell or in one of the 26 around it. (R.
// W. Hockney and J. W. Eastwood, Computer Simulation Using Particles, 1981, chapter 8)

#include "forces.hpp"
#include "near.hpp"

#include <array>
#include <vector>

namespace md {

/// How many cells a region of these edges is cut into along each axis. They are wider than forces
/// reach where so many of them would be more work than the particles.
std::array<int, 3> cells_along(const Vector& edges, double reach);

class Cells {
 public:
  Cells(const Vector& lower, const Vector& upper, double reach, CellIndices indices);

  int count() const noexcept { return shape_[0] * shape_[1] * shape_[2]; }
  /// The cells of particles [first, last), one after the other; `first` is a multiple of 8. All
  /// that is outside the region is in the outermost cells, however far away. Returns whether all
  /// are in the region.
  bool find(const Particles& particles, std::size_t first, std::size_t last, int* cells) const;
  bool in_region(const Vector& position) const noexcept;
  /// The last cell of the line along x that a cell is in.
  int last_along_x(int cell) const noexcept { return cell + shape_[0] - 1 - cell % shape_[0]; }

  /// The cell and those around it, as runs [first, last] of cells along x, in ascending order.
  struct Run {
    int first, last;
  };
  using Around = std::array<Run, 9>;
  /// The same of cells `first` to `last` of a line along x.
  Around around(int first, int last) const noexcept {
    if (table_.empty()) return computed(first, last);
    Around all = table_[static_cast<std::size_t>(first)];
    if (last != first)
      for (std::size_t run = 0; const Run& other : table_[static_cast<std::size_t>(last)])
        all[run++].last = other.last;
    return all;
  }

 private:
  Around computed(int first, int last) const noexcept;

  Vector lower_, upper_, per_length_;
  std::array<int, 3> shape_;  ///< along x, y, z
  std::vector<Around> table_;
};

/// Owned particles and ghosts in the order of their cells, with coordinates that are good enough to
/// find out who is near. Ghosts are outside the region, so no cell has particles of both kinds.
struct InCells {
  std::vector<int> cells;        ///< of each particle
  std::vector<int> starts;       ///< cell c has places [starts[c], starts[c + 1])
  std::vector<int> occupied;     ///< cells with somebody in them
  std::vector<int> index, word;  ///< which particle is there, and its first coordinate's word
  std::vector<Coarse> x, y, z;
  static constexpr int tail = 16;  ///< behind the last one may be read

  std::size_t size() const noexcept { return cells.size(); }
  /// Owned particles get the order of cells, ghosts are forgotten. Returns false, with nothing
  /// done, if one is outside the region.
  bool sort(const Cells& cells, Particles& particles);
  /// All are where their cells are; `sort` has been before.
  void fill(const Cells& cells, const Particles& particles, const CoarseGrid& coarse);

 private:
  void order(const Cells& cells, const Addressing& words);
  std::vector<int> ordered_{};  ///< the cells of which `starts`, `occupied`, `index` and `word` are
};

}  // namespace md
