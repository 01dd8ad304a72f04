#pragma once
// The cut of a grid of cells into parts, one a rank, and the halo pattern of each of them. Pure
// arithmetic for any number of ranks, no MPI call.

#include <halocline/distribution.hpp>
#include <halocline/pattern.hpp>
#include <halocline/range.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline {

enum class Decomposition {
  rows,    ///< the slowest axis alone is cut
  blocks,  ///< all axes are cut, so that the least surface crosses ranks
};
Decomposition decomposition(std::string_view text);  ///< "rows" or "blocks"; throws Error

struct GridOptions {
  HaloWidth halo{1};               ///< of every axis
  std::vector<HaloWidth> halos{};  ///< one for each axis; overrides `halo`
  std::vector<bool> periodic{};    ///< one for each axis; open by default
  bool corners = true;             ///< edges and corners too, or faces only
  Decomposition decomposition = Decomposition::blocks;
  std::vector<int> dims{};  ///< the process grid, if chosen by hand
  /// Cuts of your own, one list for each axis: the first cells of the parts along it, and the end,
  /// as Distribution::of_cuts has them; no part is empty. An axis whose list is empty is cut into
  /// equal parts.
  std::vector<std::vector<std::int64_t>> cuts{};
  /// For `Grid` alone, which has a communicator. The grid may renumber ranks, so that the fewest
  /// words cross nodes, then NUMA domains (`best_placement`). Then all communication is on
  /// `Grid::comm()`, which is a communicator of the grid's own.
  bool renumber = false;
  std::string nodes = "node";  ///< what counts as a node in that, as in IslandSpec
};

/// A Cartesian grid of cells cut into parts, slowest axis first; rank r has part r, row-major.
/// Ranks for which no part is left own nothing and have no links. Axes are numbered 0..axes()-1.
/// All that are of an axis or of a rank throw Error if there is no such axis or rank.
class GridCut {
 public:
  /// `cells` along each of one to five axes, of the whole grid, halos not counted. Throws Error
  /// when a halo is wider than a part, and on options that do not fit.
  GridCut(int ranks, std::vector<std::int64_t> cells, GridOptions options = {});

  int ranks() const noexcept { return ranks_; }
  int parts() const noexcept { return parts_; }  ///< at most ranks()
  int axes() const noexcept { return static_cast<int>(cells_.size()); }
  const std::vector<std::int64_t>& cells() const noexcept { return cells_; }
  const std::vector<int>& dims() const noexcept { return dims_; }
  const GridOptions& options() const noexcept { return options_; }
  HaloWidth width(int axis) const { return options_.halos[index(axis)]; }
  bool periodic(int axis) const { return options_.periodic[index(axis)]; }

  bool idle(int rank) const;                     ///< it owns no cell
  std::vector<int> coordinates(int rank) const;  ///< empty for an idle rank
  /// Cells of the whole grid that a rank owns along `axis`; {0, 0} for an idle rank.
  Range owned(int rank, int axis) const;
  /// Cells that the rank with this coordinate owns along `axis`.
  Range owned_by(int axis, int coordinate) const;
  /// Cells of a rank's array along `axis`, halos included; 0 for an idle rank.
  std::int64_t local(int rank, int axis) const;
  /// Cells that a rank owns.
  std::int64_t owned_cells(int rank) const;
  /// Elements of a rank's array, halos included.
  std::size_t elements(int rank) const;
  /// Rank at this rank's coordinates plus `offset` (one per axis); -1 outside and for an idle rank.
  int neighbour(int rank, const std::vector<int>& offset) const;

  /// The links of a rank's halo: what it sends to and receives from every neighbour. With corners
  /// it has stages, too, for schemes with `corners=forwarded`.
  Pattern halo(int rank) const;

  /// Which cells each rank owns, and where they lie in its array. `ranks`: who has each part, where
  /// that is another order.
  Distribution distribution(std::vector<int> ranks = {}) const;

  /// The grid of the faces between cells along `axis`, for staggered fields: face i lies below cell
  /// i. One more than cells (the last rank there has it), but for a periodic axis, where the last
  /// is the first. Each rank owns the faces below its cells; those above are in its halo.
  GridCut faces(int axis) const;

 private:
  std::size_t index(int axis) const;
  int coordinate(int rank, std::size_t axis) const;
  void set_dims();
  void check_dims() const;
  std::vector<std::vector<std::int64_t>> cuts() const;
  std::vector<Pattern> stages(int rank) const;

  int ranks_, parts_ = 1;
  std::vector<std::int64_t> cells_;
  GridOptions options_;
  std::vector<int> dims_;
};

/// The process grid that `GridCut` chooses: at most `ranks` in all and at most `cells[axis]` along
/// each axis, as many ranks as possible, then the least surface (halo cells) between them.
std::vector<int> choose_dims(int ranks, const std::vector<std::int64_t>& cells,
                             Decomposition decomposition, const std::vector<HaloWidth>& halos,
                             const std::vector<bool>& periodic);

}  // namespace halocline

#pragma GCC visibility pop
