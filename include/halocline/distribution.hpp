#pragma once
// Distributions: which boxes of an array each rank has, and how they lie in its memory. No MPI
// call.

#include <halocline/range.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline {

/// Cells of an array: a range along each axis, slowest first.
using Box = std::vector<Range>;

struct DistributionOptions {
  std::vector<HaloWidth> halos{};  ///< around a part in its owner's array, for each axis; none
  /// The axes in the owners' memory, slowest first: {1, 0} for arrays that are transposed. By
  /// default in their own order.
  std::vector<int> order{};
  int first = 0;             ///< the rank that has the first part; the next has the second
  std::vector<int> ranks{};  ///< who has each part, where that is another order; once each
};

/// How an array of one to five axes is spread over ranks. Each rank has one array, in which its
/// parts lie one after the other, each dense but for its halos. A Distribution is the same on all
/// ranks, so each knows what the others have. Ranks that it does not name have nothing: two
/// distributions may be on the same ranks, on some of them, or on different ones.
class Distribution {
 public:
  /// A range along each axis, slowest first; [0, 1) along those that there are not.
  using Cells = std::array<Range, most_axes>;

  /// Cut along each axis into `dims` parts, as Grid is; parts row-major. More parts than cells
  /// leave some empty. Throws Error where numbers of axes, dims or ranks do not fit.
  Distribution(const std::vector<std::int64_t>& cells, const std::vector<int>& dims,
               DistributionOptions options = {});

  /// With cuts of your own: `cuts[axis]` are the first cells of the parts along it, and the end;
  /// they ascend from 0.
  static Distribution of_cuts(std::vector<std::vector<std::int64_t>> cuts,
                              DistributionOptions options = {});

  /// Any boxes: `boxes[i]` are those of the i-th of the ranks. They may leave cells out, and may
  /// overlap in an array that is received. `options` as above.
  static Distribution of_boxes(const std::vector<std::vector<Box>>& boxes,
                               DistributionOptions options = {});

  /// A box with its owner, and where it lies in the owner's array. All arrays are by axis.
  struct Part {
    int rank = -1;
    std::size_t number = 0;  ///< among its owner's
    Cells cells{};
    std::ptrdiff_t begin = 0;   ///< of the part with its halo, in elements of the array
    std::size_t elements = 0;   ///< of the part with its halo
    std::ptrdiff_t offset = 0;  ///< of its first cell, in elements of the array
    std::array<std::ptrdiff_t, most_axes> stride{};  ///< from cell to cell along each axis
    std::array<std::size_t, most_axes> order{};      ///< the axes in memory, slowest first
  };

  int axes() const noexcept { return axes_; }
  /// Along each axis; empty where boxes do not say it.
  std::vector<std::int64_t> cells() const;
  /// Around each part, along `axis`.
  HaloWidth halo(int axis) const;
  /// A rank's parts in the order of its array, without empty ones.
  std::vector<Part> parts_of(int rank) const;
  /// Elements of a rank's array, halos included.
  std::size_t elements(int rank) const;
  /// Extents of that array, slowest axis first; one extent, of all elements, if it has several
  /// parts.
  std::vector<std::int64_t> extents(int rank) const;
  std::vector<std::int64_t> extents(const Part& part) const;  ///< of it with its halo
  /// All parts that have cells in common with `cells`. The search looks only at parts that are near
  /// them along the slowest axis; if the array is cut along its axes, only at these.
  std::vector<Part> overlapping(const Cells& cells) const;
  /// Whether any two parts have a cell in common.
  bool overlaps() const noexcept { return overlaps_; }

 private:
  Distribution() = default;
  void use(DistributionOptions options, std::size_t parts);
  void index_boxes();
  int rank_of(std::size_t part) const;
  Part part_at(const std::array<std::size_t, most_axes>& at) const;
  Part placed(int rank, const Cells& cells) const;

  int axes_ = 0;
  std::array<HaloWidth, most_axes> halos_;
  std::array<std::size_t, most_axes> order_{};
  int first_ = 0;
  std::vector<int> ranks_;
  std::array<std::vector<std::int64_t>, most_axes> cuts_;  // empty for boxes
  std::vector<Part> boxes_;                                // by rank, in the order given
  std::vector<std::size_t> by_begin_;  // boxes by where they begin along the slowest axis
  std::int64_t longest_ = 0;           // of the boxes along it
  bool overlaps_ = false;
};

/// For Pattern::halo_of. Lists have an entry for each axis.
struct HaloOptions {
  /// What is filled around each part; by default all of the distribution's `halos`, which is the
  /// most.
  std::vector<HaloWidth> widths{};
  std::vector<bool> periodic{};  ///< open by default
  /// Cells of the whole grid, which begins at cell 0. Needed along periodic axes if the
  /// distribution is of boxes, as these may leave cells out.
  std::vector<std::int64_t> cells{};
  bool corners = true;  ///< edges and corners too, or faces only
  /// Each part of a rank is an array of its own: blocks say by its number which one they are in
  /// (Block::part), for an exchange of the fields of each.
  bool own_arrays = false;
};

}  // namespace halocline

#pragma GCC visibility pop
