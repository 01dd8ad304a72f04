#pragma once
// What one rank of a cut owns and makes. Arithmetic only.

#include "cut.hpp"

#include <halocline/grid.hpp>

#include <vector>

namespace matmul {

using halocline::Range;

/// What is multiplied in one step: some of K. Of the ranks of a row one owns their panel of A, of
/// the ranks of a column one owns their panel of B.
struct Panel {
  Range k;
  int owner_of_a, owner_of_b;  ///< a column and a row of the grid
};

/// Some rows and columns of a matrix.
struct Box {
  Range rows, columns;

  std::size_t size() const noexcept {
    return static_cast<std::size_t>(rows.size() * columns.size());
  }
};

/// A box of a matrix in a rank's array: row after row, dense, from element `at` on.
struct Tile {
  Box box;
  std::size_t at = 0;
};

/// One rank's place in the grid, and its parts.
struct Part {
  Cut cut;
  bool idle = true;
  int i = 0, j = 0, l = 0;
  Range rows, columns;        ///< of its block of C
  std::vector<Panel> panels;  ///< of its part of K, in order

  int rank(int row, int column, int layer) const noexcept {
    return (layer * cut.m + row) * cut.n + column;
  }
  /// The widest of the panels.
  std::int64_t width() const noexcept;
  /// The rows of the block of C that rank (i, j, layer) owns when layers have been added up.
  Range sum(int layer) const noexcept;
  /// The first of them, counted from the block's first row.
  std::size_t row_of_sum(int layer) const noexcept {
    return static_cast<std::size_t>(sum(layer).begin - rows.begin);
  }
};

/// Panels end wherever a part of A or of B does, and are at most `widest` wide unless that is 0.
std::vector<Panel> natural_panels(Range k, const Cut& cut, std::int64_t widest);
/// How many can be shifted around rows and columns alike: the least common multiple of the rows
/// and columns of the grid, or for panels at most `widest` wide so many times that. All but the
/// last are of one width, which none exceeds; some may be empty. `deepest`: size of the deepest
/// part of K, so that all parts have as many panels (0: this one).
std::vector<Panel> shifted_panels(Range k, const Cut& cut, std::int64_t widest,
                                  std::int64_t deepest = 0);

/// The part of `rank`; ranks beyond the cut are idle. `panels` of its part of K and the cut.
template <class Panels>
Part part_of_rank(const Shape& shape, const Cut& cut, int rank, Panels&& panels) {
  Part part;
  part.cut = cut;
  part.idle = rank >= cut.ranks();
  if (part.idle) return part;
  part.j = rank % cut.n;
  part.i = rank / cut.n % cut.m;
  part.l = rank / (cut.n * cut.m);
  part.rows = halocline::part_of(shape.m, cut.m, part.i);
  part.columns = halocline::part_of(shape.n, cut.n, part.j);
  part.panels = panels(halocline::part_of(shape.k, cut.k, part.l), cut);
  return part;
}

}  // namespace matmul
