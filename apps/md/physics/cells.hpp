#pragma once
// Linked cells: a rank's region cut into cells at least as wide as forces reach, in a layer of
// cells for ghosts. Who interacts with a particle is in its cell or in one of the 26 around it. (R.
// W. Hockney and J. W. Eastwood, Computer Simulation Using Particles, 1981, chapter 8)

#include "forces.hpp"

#include <array>
#include <vector>

namespace md {

class Cells {
 public:
  Cells(const Vector& lower, const Vector& upper, double reach, CellIndices indices);

  int count() const noexcept { return shape_[0] * shape_[1] * shape_[2]; }
  /// All that is outside the region is in the outermost cells, however far away.
  int cell_of(const Vector& position) const noexcept;
  bool in_region(const Vector& position) const noexcept;
  /// The last cell of the line along x that a cell is in.
  int last_along_x(int cell) const noexcept { return cell + shape_[0] - 1 - cell % shape_[0]; }
  /// Whether no neighbour is one of the outermost cells.
  bool inner(int cell) const noexcept { return inner_[static_cast<std::size_t>(cell)] != 0; }

  /// The cell and those around it, as runs [first, last] of cells along x, in ascending order.
  struct Run {
    int first, last;
  };
  using Around = std::array<Run, 9>;
  Around around(int cell) const noexcept {
    return table_.empty() ? computed(cell) : table_[static_cast<std::size_t>(cell)];
  }
  /// The same of cells `first` to `last` of a line along x.
  Around around(int first, int last) const noexcept {
    Around all = around(first);
    if (last != first)
      for (std::size_t run = 0; const Run& other : around(last)) all[run++].last = other.last;
    return all;
  }

 private:
  Around computed(int cell) const noexcept;
  bool is_inner(int cell) const noexcept;

  Vector lower_, upper_, per_length_;
  std::array<int, 3> shape_;  ///< along x, y, z
  std::vector<Around> table_;
  std::vector<char> inner_;
};

/// Particles in the order of their cells, in single precision: good enough to find out who is near.
struct InCells {
  std::vector<int> starts;         ///< cell c has [starts[c], starts[c + 1])
  std::vector<int> index;          ///< which particle
  std::vector<float> x, y, z;      ///< from the middle of the region
  static constexpr int tail = 16;  ///< behind the last one may be read

  /// Those of particles [first, last).
  void fill(const Cells& cells, const Particles& particles, int first, int last,
            const Vector& middle);
};

}  // namespace md
