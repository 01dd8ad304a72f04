#include "blocks.hpp"

#include <halocline/error.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>

namespace halocline {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error("distribution: " + why);
}

/// Along each axis as a Grid cuts it.
std::vector<std::vector<std::int64_t>> even_cuts(const std::vector<std::int64_t>& cells,
                                                 const std::vector<int>& dims) {
  if (cells.size() != dims.size())
    refuse(std::to_string(dims.size()) + " dims for an array of " + std::to_string(cells.size()) +
           " axes");
  std::vector<std::vector<std::int64_t>> cuts(cells.size());
  for (std::size_t axis = 0; axis < cells.size(); ++axis) {
    if (dims[axis] < 1)
      refuse("axis " + std::to_string(axis) + " cannot be cut into " + std::to_string(dims[axis]) +
             " parts");
    for (int part = 0; part < dims[axis]; ++part)
      cuts[axis].push_back(part_of(cells[axis], dims[axis], part).begin);
    cuts[axis].push_back(cells[axis]);
  }
  return cuts;
}

using Cells = Distribution::Cells;

bool empty(const Cells& cells) {
  return std::any_of(cells.begin(), cells.end(), [](const Range& one) { return one.size() <= 0; });
}

bool overlap(const Cells& one, const Cells& other) {
  return std::equal(one.begin(), one.end(), other.begin(), [](const Range& a, const Range& b) {
    return std::max(a.begin, b.begin) < std::min(a.end, b.end);
  });
}

/// The cells of a box; along axes that there are not, one.
Cells cells_of(const Box& box) {
  Cells cells;
  cells.fill({0, 1});
  std::copy(box.begin(), box.end(), cells.begin());
  return cells;
}

}  // namespace

Distribution::Distribution(const std::vector<std::int64_t>& cells, const std::vector<int>& dims,
                           DistributionOptions options)
    : Distribution(of_cuts(even_cuts(cells, dims), std::move(options))) {}

void Distribution::use(DistributionOptions options, std::size_t parts) {
  const auto axes = static_cast<std::size_t>(axes_);
  if (axes_ < 1 || axes > most_axes)
    refuse("1 to " + std::to_string(most_axes) + " axes are possible, not " +
           std::to_string(axes_));
  if (!options.halos.empty() && options.halos.size() != axes)
    refuse("halos need an entry for each of the " + std::to_string(axes_) + " axes");
  halos_.fill(HaloWidth(0));
  for (std::size_t axis = 0; axis < options.halos.size(); ++axis) {
    halos_[axis] = options.halos[axis];
    if (halos_[axis].below < 0 || halos_[axis].above < 0)
      refuse("the halo along axis " + std::to_string(axis) + " is " +
             std::to_string(std::min(halos_[axis].below, halos_[axis].above)) +
             " wide, must be >= 0");
  }
  // Those that there are not are the slowest.
  const auto slowest = order_.begin() + static_cast<std::ptrdiff_t>(most_axes - axes);
  std::iota(order_.begin(), slowest, axes);
  std::iota(slowest, order_.end(), 0U);
  if (!options.order.empty()) {
    std::vector<int> sorted = options.order, all(axes);
    std::sort(sorted.begin(), sorted.end());
    std::iota(all.begin(), all.end(), 0);
    if (sorted != all)
      refuse("order must name each of the " + std::to_string(axes_) + " axes once");
    std::copy(options.order.begin(), options.order.end(), slowest);
  }
  if (options.first < 0) refuse("the first rank is " + std::to_string(options.first));
  first_ = options.first;
  ranks_ = std::move(options.ranks);
  if (ranks_.empty()) return;
  if (ranks_.size() != parts)
    refuse(std::to_string(ranks_.size()) + " ranks are named for " + std::to_string(parts) +
           " parts");
  std::vector<int> sorted = ranks_;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.front() < 0) refuse("rank " + std::to_string(sorted.front()) + " is named");
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) refuse("rank " + std::to_string(*twice) + " is named twice");
}

Distribution Distribution::of_cuts(std::vector<std::vector<std::int64_t>> cuts,
                                   DistributionOptions options) {
  Distribution made;
  made.axes_ = static_cast<int>(cuts.size());
  std::size_t parts = 1;
  for (std::size_t axis = 0; axis < cuts.size(); ++axis) {
    if (cuts[axis].size() < 2 || cuts[axis].front() != 0 || !std::ranges::is_sorted(cuts[axis]))
      refuse("the cuts along axis " + std::to_string(axis) +
             " must ascend from 0 to its number of cells");
    parts *= cuts[axis].size() - 1;
  }
  made.use(std::move(options), parts);
  made.cuts_.fill({0, 1});
  std::move(cuts.begin(), cuts.end(), made.cuts_.begin());
  return made;
}

Distribution Distribution::of_boxes(const std::vector<std::vector<Box>>& boxes,
                                    DistributionOptions options) {
  Distribution made;
  for (const auto& some : boxes)
    for (const Box& box : some) {
      if (made.axes_ == 0) made.axes_ = static_cast<int>(box.size());
      if (static_cast<int>(box.size()) != made.axes_)
        refuse("there are boxes of " + std::to_string(made.axes_) + " and of " +
               std::to_string(box.size()) + " axes");
    }
  made.use(std::move(options), boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    std::size_t number = 0;
    std::ptrdiff_t at = 0;
    for (const Box& box : boxes[i]) {
      const Cells cells = cells_of(box);
      if (empty(cells)) continue;
      Part part = made.placed(made.rank_of(i), cells);
      part.number = number++;
      part.begin = at;
      part.offset += at;
      at += static_cast<std::ptrdiff_t>(part.elements);
      made.boxes_.push_back(part);
    }
  }
  std::ranges::stable_sort(made.boxes_, {}, &Part::rank);
  made.index_boxes();
  return made;
}

/// Along the slowest axis only those that begin before a part ends can overlap it.
void Distribution::index_boxes() {
  const auto along = [&](std::size_t box) -> const Range& { return boxes_[box].cells[0]; };
  by_begin_.resize(boxes_.size());
  std::iota(by_begin_.begin(), by_begin_.end(), 0U);
  std::ranges::sort(by_begin_, {}, [&](std::size_t box) { return along(box).begin; });
  for (const Part& part : boxes_) longest_ = std::max(longest_, part.cells[0].size());
  for (std::size_t i = 0; i < by_begin_.size() && !overlaps_; ++i)
    for (std::size_t j = i + 1;
         j < by_begin_.size() && along(by_begin_[j]).begin < along(by_begin_[i]).end; ++j)
      if (overlap(boxes_[by_begin_[i]].cells, boxes_[by_begin_[j]].cells)) overlaps_ = true;
}

int Distribution::rank_of(std::size_t part) const {
  return ranks_.empty() ? first_ + static_cast<int>(part) : ranks_[part];
}

Distribution::Part Distribution::placed(int rank, const Cells& cells) const {
  Part part{.rank = rank, .cells = cells, .order = order_};
  std::ptrdiff_t stride = 1;
  for (std::size_t i = most_axes; i-- > 0;) {
    const std::size_t axis = order_[i];
    part.stride[axis] = stride;
    part.offset += halos_[axis].below * stride;
    stride *= cells[axis].size() + halos_[axis].below + halos_[axis].above;
  }
  part.elements = static_cast<std::size_t>(stride);
  return part;
}

Distribution::Part Distribution::part_at(const std::array<std::size_t, most_axes>& at) const {
  std::size_t index = 0;
  Cells cells;
  for (std::size_t axis = 0; axis < most_axes; ++axis) {
    index = index * (cuts_[axis].size() - 1) + at[axis];
    cells[axis] = {cuts_[axis][at[axis]], cuts_[axis][at[axis] + 1]};
  }
  return placed(rank_of(index), cells);
}

std::vector<Distribution::Part> Distribution::parts_of(int rank) const {
  if (cuts_[0].empty()) {
    return {std::ranges::lower_bound(boxes_, rank, {}, &Part::rank),
            std::ranges::upper_bound(boxes_, rank, {}, &Part::rank)};
  }
  std::int64_t index = rank - first_;
  if (!ranks_.empty()) {
    const auto found = std::find(ranks_.begin(), ranks_.end(), rank);
    index = found == ranks_.end() ? -1 : found - ranks_.begin();
  }
  std::array<std::size_t, most_axes> at{};
  if (index < 0) return {};
  auto rest = static_cast<std::size_t>(index);
  for (std::size_t axis = most_axes; axis-- > 0;) {
    at[axis] = rest % (cuts_[axis].size() - 1);
    rest /= cuts_[axis].size() - 1;
  }
  if (rest > 0) return {};
  const Part part = part_at(at);
  return empty(part.cells) ? std::vector<Part>{} : std::vector{part};
}

std::size_t Distribution::elements(int rank) const {
  std::size_t sum = 0;
  for (const Part& part : parts_of(rank)) sum += part.elements;
  return sum;
}

std::vector<std::int64_t> Distribution::extents(const Part& part) const {
  std::vector<std::int64_t> all;
  for (const std::size_t axis : part.order)
    if (axis < static_cast<std::size_t>(axes_))
      all.push_back(part.cells[axis].size() + halos_[axis].below + halos_[axis].above);
  return all;
}

std::vector<std::int64_t> Distribution::extents(int rank) const {
  const std::vector<Part> parts = parts_of(rank);
  if (parts.empty()) return std::vector<std::int64_t>(static_cast<std::size_t>(axes_), 0);
  if (parts.size() == 1) return extents(parts.front());
  return {static_cast<std::int64_t>(elements(rank))};
}

HaloWidth Distribution::halo(int axis) const {
  if (axis < 0 || axis >= axes_)
    refuse("there is no axis " + std::to_string(axis) + "; they are counted from 0");
  return halos_[static_cast<std::size_t>(axis)];
}

std::vector<std::int64_t> Distribution::cells() const {
  std::vector<std::int64_t> all;
  if (!cuts_[0].empty())
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(axes_); ++axis)
      all.push_back(cuts_[axis].back());
  return all;
}

std::vector<Distribution::Part> Distribution::overlapping(const Cells& cells) const {
  std::vector<Part> found;
  if (cuts_[0].empty()) {
    const auto begin = [&](std::size_t box) { return boxes_[box].cells[0].begin; };
    for (auto box = std::ranges::upper_bound(by_begin_, cells[0].begin - longest_, {}, begin);
         box != by_begin_.end() && begin(*box) < cells[0].end; ++box)
      if (overlap(boxes_[*box].cells, cells)) found.push_back(boxes_[*box]);
    return found;
  }
  // The parts along each axis of which some are inside.
  std::array<std::size_t, most_axes> first, last;
  for (std::size_t axis = 0; axis < most_axes; ++axis) {
    const auto& cuts = cuts_[axis];
    const auto begin = std::upper_bound(cuts.begin(), cuts.end(), cells[axis].begin);
    const auto end = std::lower_bound(cuts.begin(), cuts.end(), cells[axis].end);
    first[axis] = static_cast<std::size_t>(std::max<std::ptrdiff_t>(begin - cuts.begin(), 1) - 1);
    last[axis] = std::min(static_cast<std::size_t>(end - cuts.begin()), cuts.size() - 1);
    if (first[axis] >= last[axis]) return found;
  }
  for (std::array<std::size_t, most_axes> at = first;;) {
    if (const Part part = part_at(at); !empty(part.cells)) found.push_back(part);
    std::size_t axis = most_axes;
    while (axis > 0 && ++at[axis - 1] == last[axis - 1]) --axis, at[axis] = first[axis];
    if (axis == 0) return found;
  }
}

}  // namespace halocline
