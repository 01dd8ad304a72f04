#pragma once
// Distributions: which boxes of an array each rank has, and how they lie in its memory. No MPI
// call.

#include <halocline/dims.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

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

/// How an array of one to three axes is spread over ranks. Each rank has one array, in which its
/// parts lie one after the other, each dense but for its halos. A Distribution is the same on all
/// ranks, so each knows what the others have. Ranks that it does not name have nothing: two
/// distributions may be on the same ranks, on some of them, or on different ones.
class Distribution {
 public:
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

  /// A box with its owner, and where it lies in the owner's array.
  struct Part {
    int rank = -1;
    std::size_t number = 0;                  ///< among its owner's
    std::array<Range, 3> cells{};            ///< slowest first; leading axes that are not: [0, 1)
    std::ptrdiff_t offset = 0;               ///< of its first cell, in elements
    std::array<std::ptrdiff_t, 3> stride{};  ///< from cell to cell along each axis
    std::array<std::size_t, 3> order{0, 1, 2};  ///< of the axes in memory, slowest first
  };

  int axes() const noexcept { return axes_; }
  /// Along each axis; empty where boxes do not say it.
  std::vector<std::int64_t> cells() const;
  /// Of a rank, in the order of its array; without empty ones.
  std::vector<Part> parts_of(int rank) const;
  /// Elements of a rank's array, halos included.
  std::size_t elements(int rank) const;
  /// All parts that have cells in common with `cells`. If the array is cut along its axes, the
  /// search looks only at these.
  std::vector<Part> overlapping(const std::array<Range, 3>& cells) const;
  /// Whether any two parts have a cell in common.
  bool overlaps() const noexcept { return overlaps_; }

 private:
  Distribution() = default;
  void use(DistributionOptions options, std::size_t parts);
  int rank_of(std::size_t part) const;
  std::size_t size_of(const std::array<Range, 3>& cells) const;
  Part part_at(const std::array<std::size_t, 3>& at) const;
  Part placed(int rank, const std::array<Range, 3>& cells) const;

  int axes_ = 0;
  std::array<HaloWidth, 3> halos_{HaloWidth(0), HaloWidth(0), HaloWidth(0)};
  std::array<std::size_t, 3> order_{0, 1, 2};
  int first_ = 0;
  std::vector<int> ranks_;
  std::array<std::vector<std::int64_t>, 3> cuts_;  // empty for boxes
  std::vector<Part> boxes_;                        // by rank, in the order given
  bool overlaps_ = false;
};

}  // namespace halocline
