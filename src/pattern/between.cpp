// The pattern between two distributions of an array.

#include "blocks.hpp"

#include <halocline/error.hpp>

#include <algorithm>
#include <string>
#include <tuple>

namespace halocline {

namespace {

using Part = Distribution::Part;
using Cells = Distribution::Cells;
using detail::Place;

/// What two parts have in common.
struct Common {
  Part from, to;
  Cells cells;
};

Cells intersection(const Cells& one, const Cells& other) {
  Cells cells;
  for (std::size_t axis = 0; axis < most_axes; ++axis)
    cells[axis] = {std::max(one[axis].begin, other[axis].begin),
                   std::min(one[axis].end, other[axis].end)};
  return cells;
}

std::ptrdiff_t place(const Part& part, const Cells& cells) {
  std::ptrdiff_t at = part.offset;
  for (std::size_t axis = 0; axis < most_axes; ++axis)
    at += (cells[axis].begin - part.cells[axis].begin) * part.stride[axis];
  return at;
}

std::size_t size(const Range& range) {
  return static_cast<std::size_t>(range.size());
}

/// Cells of a tile in which an array is turned: few rows that are far apart at the receiver, as
/// they may all want the same few lines of a cache; long ones, since each is a cache line there.
constexpr std::int64_t tile_across = 8, tile_along = 64;

/// Calls `visit(sent, received)` for blocks of a message, the same on both sides.
template <class Visit>
void each_block(const Common& common, const Visit& visit) {
  const auto& [from, to, cells] = common;
  const std::size_t fast = from.order.back(), becomes_fast = to.order.back();
  if (fast == becomes_fast) {
    std::array<std::size_t, most_axes> count{};
    Place sent{place(from, cells)}, received{place(to, cells)};
    for (std::size_t i = 0; i < most_axes; ++i) {
      const std::size_t axis = from.order[i];
      count[i] = size(cells[axis]);
      sent.stride[i] = from.stride[axis], received.stride[i] = to.stride[axis];
    }
    return detail::each_block(count, sent, received, visit);
  }
  std::array<std::size_t, most_axes - 2> others{};
  std::ranges::copy_if(from.order, others.begin(),
                       [&](std::size_t axis) { return axis != fast && axis != becomes_fast; });
  Cells tile = cells;
  for (const std::size_t other : others) tile[other].end = tile[other].begin + 1;
  for (;;) {
    for (std::int64_t j = cells[becomes_fast].begin; j < cells[becomes_fast].end; j += tile_along) {
      tile[becomes_fast] = {j, std::min(j + tile_along, cells[becomes_fast].end)};
      for (std::int64_t k = cells[fast].begin; k < cells[fast].end; k += tile_across) {
        tile[fast] = {k, std::min(k + tile_across, cells[fast].end)};
        const std::size_t rows = size(tile[becomes_fast]), columns = size(tile[fast]);
        visit(Block{place(from, tile), {1, rows, columns}, {0, from.stride[becomes_fast]}},
              Block{place(to, tile), {rows, columns, 1}, {1, to.stride[fast]}});
      }
    }
    // The next cell along the other axes.
    std::size_t i = others.size();
    for (; i > 0; --i) {
      Range& at = tile[others[i - 1]];
      if (at.end++ < cells[others[i - 1]].end) {
        ++at.begin;
        break;
      }
      at = {cells[others[i - 1]].begin, cells[others[i - 1]].begin + 1};
    }
    if (i == 0) return;
  }
}

/// By peers, those that follow `rank` first, so that not all begin with the same one; then in an
/// order that both sides know.
void sort(std::vector<Common>& all, int rank, Part Common::*peer) {
  std::ranges::sort(all, {}, [&](const Common& one) {
    const int other = (one.*peer).rank;
    return std::tuple(other < rank, other, one.from.number, one.to.number);
  });
}

}  // namespace

Pattern Pattern::between(const Distribution& from, const Distribution& to, int rank) {
  if (from.axes() != to.axes())
    throw Error("pattern: an array of " + std::to_string(from.axes()) +
                " axes cannot become one of " + std::to_string(to.axes()));
  const auto before = from.cells(), after = to.cells();
  for (std::size_t axis = 0; axis < std::min(before.size(), after.size()); ++axis)
    if (before[axis] != after[axis])
      throw Error("pattern: along axis " + std::to_string(axis) + " an array of " +
                  std::to_string(before[axis]) + " cells cannot become one of " +
                  std::to_string(after[axis]));
  if (from.overlaps()) throw Error("pattern: two parts of what is sent have cells in common");

  std::vector<Common> outgoing, incoming;
  for (const Distribution::Part& mine : from.parts_of(rank))
    for (const Distribution::Part& theirs : to.overlapping(mine.cells))
      outgoing.push_back({mine, theirs, intersection(mine.cells, theirs.cells)});
  for (const Distribution::Part& mine : to.parts_of(rank))
    for (const Distribution::Part& theirs : from.overlapping(mine.cells))
      if (theirs.rank != rank)
        incoming.push_back({theirs, mine, intersection(mine.cells, theirs.cells)});
  sort(outgoing, rank, &Common::to);
  sort(incoming, rank, &Common::from);

  Pattern pattern;
  pattern.count_in(from.extents(rank), to.extents(rank));
  for (const Common& common : outgoing)
    each_block(common, [&](const Block& sent, const Block& received) {
      if (common.to.rank == rank)
        pattern.copy(sent, received);
      else
        pattern.send(common.to.rank, sent);
    });
  for (const Common& common : incoming)
    each_block(common, [&](const Block&, const Block& received) {
      pattern.receive(common.from.rank, received);
    });
  return pattern;
}

}  // namespace halocline
