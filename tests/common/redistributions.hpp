#pragma once
// Random redistributions of an array, and what every element must hold, by a walk over all cells.

#include <halocline/distribution.hpp>
#include <halocline/pattern.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

/// What is no cell: a halo, or a cell that nothing is received in.
constexpr std::int64_t outside = -1;

/// The elements of a link in message order.
inline std::vector<std::ptrdiff_t> elements(const halocline::Link& link) {
  std::vector<std::ptrdiff_t> list;
  for (const halocline::Block& block : link.blocks)
    for (std::size_t plane = 0; plane < block.count[0]; ++plane)
      for (std::size_t row = 0; row < block.count[1]; ++row)
        for (std::size_t i = 0; i < block.count[2]; ++i)
          list.push_back(block.offset + static_cast<std::ptrdiff_t>(plane) * block.stride[0] +
                         static_cast<std::ptrdiff_t>(row) * block.stride[1] +
                         static_cast<std::ptrdiff_t>(i));
  return list;
}

/// An array of one to five axes from one way on `ranks` ranks to another.
class RandomRedistribution {
 public:
  RandomRedistribution(unsigned seed, int ranks_, std::int64_t longest = 9)
      : ranks(ranks_), text("redistribution " + std::to_string(seed)), dice_(seed) {
    const auto axes = static_cast<std::size_t>(roll(1, 5));
    if (axes > 3) longest = std::min<std::int64_t>(longest, 5);
    for (std::size_t axis = 0; axis < axes; ++axis) cells_.push_back(roll(1, longest));
    // Half of the ranks to the others, or all among each other, of which some are idle.
    const int half = ranks / 2;
    const bool disjoint = ranks > 1 && roll(0, 2) == 0;
    from = disjoint ? spread(0, half, true) : spread(0, ranks, true);
    to = disjoint ? spread(half, ranks, false) : spread(0, ranks, false);
  }

  const int ranks;
  const std::string text;
  halocline::Distribution from{{1}, {1}}, to{{1}, {1}};

  /// Each cell has the number that it has in the whole array, row-major.
  std::vector<std::int64_t> before(int rank) const { return filled(from, rank, nullptr); }
  /// The same, for the cells that `from` has.
  std::vector<std::int64_t> after(int rank) const { return filled(to, rank, &from); }

 private:
  std::int64_t roll(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution(low, high)(dice_);
  }

  halocline::Distribution spread(int begin, int end, bool once) {
    halocline::DistributionOptions options;
    const std::size_t axes = cells_.size();
    if (roll(0, 1) == 0) {
      options.order.resize(axes);
      std::iota(options.order.begin(), options.order.end(), 0);
      std::ranges::shuffle(options.order, dice_);
    }
    if (roll(0, 2) == 0)
      for (std::size_t axis = 0; axis < axes; ++axis)
        options.halos.emplace_back(static_cast<int>(roll(0, 2)), static_cast<int>(roll(0, 2)));
    std::vector<int> ranks_of_parts(static_cast<std::size_t>(end - begin));
    std::iota(ranks_of_parts.begin(), ranks_of_parts.end(), begin);
    std::ranges::shuffle(ranks_of_parts, dice_);
    if (roll(0, 2) == 0) return boxes(std::move(ranks_of_parts), std::move(options), once);

    // As many parts as there are ranks, or fewer; cut evenly or anywhere.
    std::vector<int> dims(axes, 1);
    int parts = 1;
    for (int tries = 0; tries < 6; ++tries) {
      int& dim = dims[static_cast<std::size_t>(roll(0, static_cast<int>(axes) - 1))];
      if (parts / dim * (dim + 1) <= end - begin) parts = parts / dim * (dim + 1), ++dim;
    }
    ranks_of_parts.resize(static_cast<std::size_t>(parts));
    options.ranks = ranks_of_parts;
    if (roll(0, 1) == 0) {
      options.ranks.clear();
      options.first = begin;
      return {cells_, dims, std::move(options)};
    }
    std::vector<std::vector<std::int64_t>> cuts(axes);
    for (std::size_t axis = 0; axis < axes; ++axis) {
      cuts[axis] = {0, cells_[axis]};
      for (int part = 1; part < dims[axis]; ++part) cuts[axis].push_back(roll(0, cells_[axis]));
      std::ranges::sort(cuts[axis]);
    }
    return halocline::Distribution::of_cuts(std::move(cuts), std::move(options));
  }

  /// By halving boxes again and again; some get lost, and what lands may do so twice.
  halocline::Distribution boxes(std::vector<int> owners, halocline::DistributionOptions options,
                                bool once) {
    halocline::Box all;
    for (const std::int64_t cells : cells_) all.push_back({0, cells});
    std::vector<halocline::Box> pieces{all};
    for (std::int64_t more = roll(0, 12); more > 0; --more) {
      const auto which = static_cast<std::size_t>(roll(0, static_cast<int>(pieces.size()) - 1));
      const auto axis = static_cast<std::size_t>(roll(0, static_cast<int>(cells_.size()) - 1));
      halocline::Box other = pieces[which];
      const std::int64_t cut = roll(other[axis].begin, other[axis].end);
      pieces[which][axis].end = cut;
      other[axis].begin = cut;
      pieces.push_back(other);
    }
    if (roll(0, 3) == 0) pieces.pop_back();
    if (!once && roll(0, 1) == 0) pieces.push_back(all);
    std::vector<std::vector<halocline::Box>> of_ranks(owners.size());
    for (const halocline::Box& piece : pieces)
      of_ranks[static_cast<std::size_t>(roll(0, static_cast<int>(owners.size()) - 1))].push_back(
          piece);
    if (pieces.empty()) of_ranks[0].push_back(all);
    options.ranks = std::move(owners);
    return halocline::Distribution::of_boxes(of_ranks, std::move(options));
  }

  std::vector<std::int64_t> filled(const halocline::Distribution& spread, int rank,
                                   const halocline::Distribution* of) const {
    std::vector<std::int64_t> array(spread.elements(rank), outside);
    for (const auto& part : spread.parts_of(rank))
      each_cell(part.cells, [&](const Cell& cell) {
        std::ptrdiff_t at = part.offset;
        for (std::size_t axis = 0; axis < cell.size(); ++axis)
          at += (cell[axis] - part.cells[axis].begin) * part.stride[axis];
        bool exists = of == nullptr;
        for (int other = 0; other < ranks && !exists; ++other)
          for (const auto& theirs : of->parts_of(other))
            exists = exists || contains(theirs.cells, cell);
        if (exists) array.at(static_cast<std::size_t>(at)) = number(cell);
      });
    return array;
  }

  using Cell = std::array<std::int64_t, halocline::most_axes>;

  static bool contains(const halocline::Distribution::Cells& cells, const Cell& cell) {
    for (std::size_t axis = 0; axis < cell.size(); ++axis)
      if (cell[axis] < cells[axis].begin || cell[axis] >= cells[axis].end) return false;
    return true;
  }

  template <class Visit>
  static void each_cell(const halocline::Distribution::Cells& cells, const Visit& visit,
                        std::size_t axis = 0, Cell at = {}) {
    if (axis == at.size()) return visit(at);
    for (at[axis] = cells[axis].begin; at[axis] < cells[axis].end; ++at[axis])
      each_cell(cells, visit, axis + 1, at);
  }

  std::int64_t number(const Cell& cell) const {
    std::int64_t index = 0;
    for (std::size_t axis = 0; axis < cells_.size(); ++axis)
      index = index * cells_[axis] + cell[axis];
    return index;
  }

  std::mt19937 dice_;
  std::vector<std::int64_t> cells_;
};
