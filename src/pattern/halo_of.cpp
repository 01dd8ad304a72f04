// The halos of all parts of a distribution: several blocks a rank, of any sizes.

#include "blocks.hpp"

#include <halocline/error.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

namespace halocline {

namespace {

using Cells = Distribution::Cells;
using Displacement = std::array<std::int64_t, most_axes>;

[[noreturn]] void refuse_halo(const std::string& why) {
  throw Error("halo: " + why);
}

std::int64_t floor_of(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

/// What one part owns and another has in its halo.
struct HaloCells {
  Distribution::Part from, to;
  Displacement
      shift;    ///< from the owner's cells to those of the halo: whole lengths of periodic axes
  int face;     ///< of the halo, where there are no corners
  Cells cells;  ///< of the halo
};

class HalosOfParts {
 public:
  HalosOfParts(const Distribution& parts, const HaloOptions& options)
      : parts_(parts), corners_(options.corners), axes_(static_cast<std::size_t>(parts.axes())) {
    const auto check_entries = [&](std::size_t entries, const char* what) {
      if (entries != 0 && entries != axes_)
        refuse_halo(std::string(what) + " need an entry for each of the " + std::to_string(axes_) +
                    " axes");
    };
    check_entries(options.widths.size(), "widths");
    check_entries(options.periodic.size(), "periodic axes");
    check_entries(options.cells.size(), "cells");
    if (parts.overlaps()) refuse_halo("two parts have cells in common; each cell has one owner");
    widths_.fill(HaloWidth(0));
    for (std::size_t axis = 0; axis < axes_; ++axis) {
      const HaloWidth room = parts.halo(static_cast<int>(axis));
      const HaloWidth width = options.widths.empty() ? room : options.widths[axis];
      if (width.below < 0 || width.above < 0 || width.below > room.below ||
          width.above > room.above)
        refuse_halo("along axis " + std::to_string(axis) + " it is " + text(width) +
                    " wide, but around the parts of the distribution there is room for " +
                    text(room));
      widths_[axis] = width;
    }
    for (std::size_t axis = 0; axis < options.periodic.size(); ++axis)
      if (options.periodic[axis]) period_[axis] = length_of(axis, options);
    if (period_ == Displacement{} || !parts.cells().empty()) return;
    Cells all;
    all.fill({std::numeric_limits<std::int64_t>::min() / 2,
              std::numeric_limits<std::int64_t>::max() / 2});
    for (const Distribution::Part& part : parts.overlapping(all)) check(part);
  }

  /// What others own, and this part has in its halo.
  template <class Visit>
  void around(const Distribution::Part& part, const Visit& visit) const {
    each_shift(grown(part.cells, false), [&](const Cells& there, const Displacement& shift) {
      for (const Distribution::Part& owner : parts_.overlapping(there))
        each_region(owner, part, shift, visit);
    });
  }
  /// What this part owns, and others have in their halos.
  template <class Visit>
  void of(const Distribution::Part& part, const Visit& visit) const {
    each_shift(grown(part.cells, true), [&](const Cells& there, const Displacement& shift) {
      Displacement back{};
      for (std::size_t axis = 0; axis < axes_; ++axis) back[axis] = -shift[axis];
      for (const Distribution::Part& holder : parts_.overlapping(there))
        each_region(part, holder, back, visit);
    });
  }

 private:
  std::int64_t length_of(std::size_t axis, const HaloOptions& options) const {
    const std::vector<std::int64_t> cells = parts_.cells();
    const std::string periodic = "axis " + std::to_string(axis) + " is periodic, but ";
    if (cells.empty() && options.cells.empty())
      refuse_halo(periodic + "how many cells it has is not known; give HaloOptions::cells");
    const std::int64_t length = cells.empty() ? options.cells[axis] : cells[axis];
    if (length < 1) refuse_halo(periodic + "has " + std::to_string(length) + " cells");
    if (!options.cells.empty() && options.cells[axis] != length)
      refuse_halo(periodic + "the distribution has " + std::to_string(length) +
                  " cells there, and the options say " + std::to_string(options.cells[axis]));
    return length;
  }

  void check(const Distribution::Part& part) const {
    for (std::size_t axis = 0; axis < axes_; ++axis)
      if (period_[axis] > 0 && (part.cells[axis].begin < 0 || part.cells[axis].end > period_[axis]))
        refuse_halo("rank " + std::to_string(part.rank) + " has cells " +
                    std::to_string(part.cells[axis].begin) + " to " +
                    std::to_string(part.cells[axis].end) + " along the periodic axis " +
                    std::to_string(axis) + ", which has " + std::to_string(period_[axis]) +
                    " cells");
  }

  static std::string text(const HaloWidth& width) {
    return std::to_string(width.below) + " below and " + std::to_string(width.above) + " above";
  }

  /// With the halo, or with all cells in whose halo it is.
  Cells grown(Cells cells, bool back) const {
    for (std::size_t axis = 0; axis < axes_; ++axis) {
      cells[axis].begin -= back ? widths_[axis].above : widths_[axis].below;
      cells[axis].end += back ? widths_[axis].below : widths_[axis].above;
    }
    return cells;
  }

  /// Calls `visit(cells moved into the grid, by how much from there)` for each image of the cells
  /// that meets the grid.
  template <class Visit>
  void each_shift(const Cells& cells, const Visit& visit, std::size_t axis = 0,
                  Displacement shift = {}) const {
    if (axis == axes_) {
      Cells moved = cells;
      for (std::size_t i = 0; i < axes_; ++i) moved[i].begin -= shift[i], moved[i].end -= shift[i];
      return visit(moved, std::as_const(shift));
    }
    if (period_[axis] == 0) return each_shift(cells, visit, axis + 1, shift);
    const std::int64_t last = floor_of(cells[axis].end - 1, period_[axis]);
    for (std::int64_t k = floor_of(cells[axis].begin, period_[axis]); k <= last; ++k) {
      shift[axis] = k * period_[axis];
      each_shift(cells, visit, axis + 1, shift);
    }
  }

  template <class Visit>
  void each_region(const Distribution::Part& owner, const Distribution::Part& holder,
                   const Displacement& shift, const Visit& visit) const {
    const bool itself = owner.rank == holder.rank && owner.number == holder.number;
    if (itself && shift == Displacement{}) return;
    const auto meet = [&](const Cells& halo, int face) {
      HaloCells common{owner, holder, shift, face, halo};
      for (std::size_t axis = 0; axis < most_axes; ++axis) {
        Range& both = common.cells[axis];
        both = {std::max(both.begin, owner.cells[axis].begin + shift[axis]),
                std::min(both.end, owner.cells[axis].end + shift[axis])};
        if (both.size() <= 0) return;
      }
      visit(common);
    };
    // No other part, and no image of this one, has cells that it owns: all of it is halo.
    if (corners_) return meet(grown(holder.cells, false), 0);
    for (std::size_t axis = 0; axis < axes_; ++axis)
      for (const int side : {0, 1}) {
        Cells face = holder.cells;
        const Range owned = face[axis];
        face[axis] = side == 0 ? Range{owned.begin - widths_[axis].below, owned.begin}
                               : Range{owned.end, owned.end + widths_[axis].above};
        meet(face, 2 * static_cast<int>(axis) + side);
      }
  }

  const Distribution& parts_;
  bool corners_;
  std::size_t axes_;
  std::array<HaloWidth, most_axes> widths_;
  Displacement period_{};  // 0: open
};

/// By peers, those that follow `rank` first; then in an order that both sides know.
void sort_halo(std::vector<HaloCells>& all, int rank, Distribution::Part HaloCells::*peer) {
  std::ranges::sort(all, {}, [&](const HaloCells& one) {
    const int other = (one.*peer).rank;
    return std::tuple(other < rank, other, one.to.number, one.from.number, one.shift, one.face);
  });
}

/// Where blocks of a part are: in the array of its rank, or in one of its own.
struct PartArray {
  const Distribution::Part& part;
  bool own;
  std::ptrdiff_t offset() const { return own ? part.offset - part.begin : part.offset; }
  Block operator()(Block block) const {
    if (own) block.part = static_cast<int>(part.number);
    return block;
  }
};

template <class Visit>
void each_block(const HaloCells& common, bool own_arrays, const Visit& visit) {
  const auto& [from, to, shift, face, cells] = common;
  const PartArray sends{from, own_arrays}, receives{to, own_arrays};
  std::array<std::size_t, most_axes> count{};
  detail::Place sent{sends.offset()}, received{receives.offset()};
  for (std::size_t i = 0; i < most_axes; ++i) {
    const std::size_t axis = from.order[i];
    count[i] = static_cast<std::size_t>(cells[axis].size());
    sent.stride[i] = from.stride[axis], received.stride[i] = to.stride[axis];
    sent.offset += (cells[axis].begin - shift[axis] - from.cells[axis].begin) * from.stride[axis];
    received.offset += (cells[axis].begin - to.cells[axis].begin) * to.stride[axis];
  }
  detail::each_block(count, sent, received,
                     [&](const Block& out, const Block& in) { visit(sends(out), receives(in)); });
}

}  // namespace

Pattern Pattern::halo_of(const Distribution& parts, int rank, const HaloOptions& options) {
  const HalosOfParts halos(parts, options);
  std::vector<HaloCells> outgoing, incoming;
  for (const Distribution::Part& mine : parts.parts_of(rank)) {
    halos.of(mine, [&](const HaloCells& common) { outgoing.push_back(common); });
    halos.around(mine, [&](const HaloCells& common) {
      if (common.from.rank != rank) incoming.push_back(common);
    });
  }
  sort_halo(outgoing, rank, &HaloCells::to);
  sort_halo(incoming, rank, &HaloCells::from);

  Pattern pattern;
  const auto count_in = [&](const std::vector<std::int64_t>& extents, std::size_t part) {
    pattern.count_in(extents, extents, static_cast<int>(part));
  };
  if (options.own_arrays)
    for (const Distribution::Part& mine : parts.parts_of(rank))
      count_in(parts.extents(mine), mine.number);
  else
    count_in(parts.extents(rank), 0);
  for (const HaloCells& common : outgoing)
    each_block(common, options.own_arrays, [&](const Block& sent, const Block& received) {
      if (common.to.rank == rank)
        pattern.copy(sent, received);
      else
        pattern.send(common.to.rank, sent);
    });
  for (const HaloCells& common : incoming)
    each_block(common, options.own_arrays, [&](const Block&, const Block& received) {
      pattern.receive(common.from.rank, received);
    });
  return pattern;
}

}  // namespace halocline
