#pragma once
// A box of up to five axes as blocks, which have three.

#include <halocline/distribution.hpp>
#include <halocline/pattern.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace halocline::detail {

inline constexpr std::size_t most_axes = Distribution::most_axes;

/// Where a box lies in an array: its first element, and from one to the next along each axis.
struct Place {
  std::ptrdiff_t offset = 0;
  std::array<std::ptrdiff_t, most_axes> stride{};
};

/// The axes of a box at both ends of a link, slowest in memory first.
class BoxAxes {
 public:
  BoxAxes(const std::array<std::size_t, most_axes>& count, const Place& from, const Place& to) {
    for (std::size_t i = 0; i < count.size(); ++i) {
      if (count[i] == 1 && i + 1 < count.size()) continue;
      const auto length = static_cast<std::ptrdiff_t>(count[i]);
      Axis* const slower = size_ == 0 ? nullptr : &axes_[size_ - 1];
      if (slower != nullptr && slower->from == length * from.stride[i] &&
          slower->to == length * to.stride[i])
        *slower = {slower->count * count[i], from.stride[i], to.stride[i]};
      else
        axes_[size_++] = {count[i], from.stride[i], to.stride[i]};
    }
    // The two longest are a block's planes and rows.
    for (; size_ - steps_ > 3; ++steps_) {
      const auto shortest =
          std::min_element(axes_.begin() + static_cast<std::ptrdiff_t>(steps_),
                           axes_.begin() + static_cast<std::ptrdiff_t>(size_) - 1,
                           [](const Axis& a, const Axis& b) { return a.count < b.count; });
      std::rotate(axes_.begin() + static_cast<std::ptrdiff_t>(steps_), shortest, shortest + 1);
    }
  }

  template <class Visit>
  void each_block(std::ptrdiff_t from, std::ptrdiff_t to, const Visit& visit,
                  std::size_t step = 0) const {
    if (step < steps_) {
      const Axis& axis = axes_[step];
      for (std::size_t i = 0; i < axis.count; ++i, from += axis.from, to += axis.to)
        each_block(from, to, visit, step + 1);
      return;
    }
    Block sent{.offset = from}, received{.offset = to};
    for (std::size_t i = steps_; i < size_; ++i) {
      const std::size_t axis = 3 - (size_ - i);
      sent.count[axis] = received.count[axis] = axes_[i].count;
      if (axis < 2) sent.stride[axis] = axes_[i].from, received.stride[axis] = axes_[i].to;
    }
    visit(sent, received);
  }

 private:
  struct Axis {
    std::size_t count;
    std::ptrdiff_t from, to;
  };
  std::array<Axis, most_axes> axes_{};
  std::size_t size_ = 0, steps_ = 0;  // those in front of which a block is for each cell
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
