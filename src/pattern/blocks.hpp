#pragma once
// A box of up to five axes as blocks, which have three.

#include <halocline/distribution.hpp>
#include <halocline/pattern.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace halocline::detail {

/// Where a box lies in an array: its first element, and from one to the next along each axis.
struct Place {
  std::ptrdiff_t offset = 0;
  std::array<std::ptrdiff_t, most_axes> stride{};
};

/// The axes of a box at both ends of a link, slowest in memory first: a block for each cell along
/// the first two, with the others as its own.
class BoxAxes {
 public:
  BoxAxes(const std::array<std::size_t, most_axes>& count, const Place& from, const Place& to) {
    // From the fastest on; those that follow each other at both ends are one.
    std::size_t first = most_axes - 1;
    axes_[first] = {count[first], from.stride[first], to.stride[first]};
    for (std::size_t i = first; i-- > 0;) {
      if (count[i] == 1) continue;
      Axis& faster = axes_[first];
      const auto length = static_cast<std::ptrdiff_t>(faster.count);
      if (from.stride[i] == length * faster.from && to.stride[i] == length * faster.to)
        faster.count *= count[i];
      else
        axes_[--first] = {count[i], from.stride[i], to.stride[i]};
    }
    // Blocks are fewest along the shortest axes.
    for (auto step = axes_.begin(); step != axes_.begin() + 2; ++step) {
      const auto shortest = std::min_element(
          step, axes_.end() - 1, [](const Axis& a, const Axis& b) { return a.count < b.count; });
      std::rotate(step, shortest, shortest + 1);
    }
  }

  template <class Visit>
  void each_block(std::ptrdiff_t from, std::ptrdiff_t to, const Visit& visit) const {
    const auto& [outer, inner, planes, rows, elements] = axes_;
    const std::array<std::size_t, 3> count{planes.count, rows.count, elements.count};
    for (std::size_t i = 0; i < outer.count; ++i)
      for (std::size_t j = 0; j < inner.count; ++j) {
        const auto k = static_cast<std::ptrdiff_t>(i), l = static_cast<std::ptrdiff_t>(j);
        visit(Block{from + k * outer.from + l * inner.from, count, {planes.from, rows.from}},
              Block{to + k * outer.to + l * inner.to, count, {planes.to, rows.to}});
      }
  }

 private:
  struct Axis {
    std::size_t count = 1;
    std::ptrdiff_t from = 0, to = 0;
  };
  std::array<Axis, most_axes> axes_{};
};

/// Calls `visit(sent, received)` for the fewest blocks that have the box's elements, in an order
/// that both ends of a link know. `count` and strides: slowest axis in memory first; the last one
/// is contiguous.
template <class Visit>
void each_block(const std::array<std::size_t, most_axes>& count, const Place& from, const Place& to,
                const Visit& visit) {
  if (std::find(count.begin(), count.end(), 0U) != count.end()) return;
  if (count[0] == 1 && count[1] == 1)  // a block as it is
    visit(Block{from.offset, {count[2], count[3], count[4]}, {from.stride[2], from.stride[3]}},
          Block{to.offset, {count[2], count[3], count[4]}, {to.stride[2], to.stride[3]}});
  else
    BoxAxes(count, from, to).each_block(from.offset, to.offset, visit);
}

}  // namespace halocline::detail
