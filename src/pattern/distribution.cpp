#include <halocline/distribution.hpp>
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

bool empty(const std::array<Range, 3>& cells) {
  return std::any_of(cells.begin(), cells.end(), [](const Range& one) { return one.size() <= 0; });
}

bool overlap(const std::array<Range, 3>& one, const std::array<Range, 3>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), [](const Range& a, const Range& b) {
    return std::max(a.begin, b.begin) < std::min(a.end, b.end);
  });
}

/// Along the slowest axis only those that begin before a part ends can overlap it.
bool any_overlap(std::vector<Distribution::Part> parts) {
  const auto begin = [](const auto& part) { return part.cells[0].begin; };
  std::ranges::sort(parts, {}, begin);
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t j = i + 1; j < parts.size() && begin(parts[j]) < parts[i].cells[0].end; ++j)
      if (overlap(parts[i].cells, parts[j].cells)) return true;
  return false;
}

}  // namespace

Distribution::Distribution(const std::vector<std::int64_t>& cells, const std::vector<int>& dims,
                           DistributionOptions options)
    : Distribution(of_cuts(even_cuts(cells, dims), std::move(options))) {}

void Distribution::use(DistributionOptions options, std::size_t parts) {
  if (axes_ < 1 || axes_ > 3) refuse("1 to 3 axes are possible, not " + std::to_string(axes_));
  const auto axes = static_cast<std::size_t>(axes_), pad = 3 - axes;
  if (!options.halos.empty() && options.halos.size() != axes)
    refuse("halos need an entry for each of the " + std::to_string(axes_) + " axes");
  std::copy(options.halos.begin(), options.halos.end(), halos_.begin() + static_cast<int>(pad));
  if (!options.order.empty()) {
    std::vector<int> sorted = options.order, all(axes);
    std::sort(sorted.begin(), sorted.end());
    std::iota(all.begin(), all.end(), 0);
    if (sorted != all)
      refuse("order must name each of the " + std::to_string(axes_) + " axes once");
    for (std::size_t i = 0; i < axes; ++i)
      order_[pad + i] = pad + static_cast<std::size_t>(options.order[i]);
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
  std::move(cuts.begin(), cuts.end(), made.cuts_.begin() + (3 - made.axes_));
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
      std::array<Range, 3> cells{Range{0, 1}, Range{0, 1}, Range{0, 1}};
      std::copy(box.begin(), box.end(), cells.begin() + (3 - made.axes_));
      if (empty(cells)) continue;
      Part part = made.placed(made.rank_of(i), cells);
      part.number = number++;
      part.offset += at;
      at += static_cast<std::ptrdiff_t>(made.size_of(cells));
      made.boxes_.push_back(part);
    }
  }
  std::ranges::stable_sort(made.boxes_, {}, &Part::rank);
  made.overlaps_ = any_overlap(made.boxes_);
  return made;
}

int Distribution::rank_of(std::size_t part) const {
  return ranks_.empty() ? first_ + static_cast<int>(part) : ranks_[part];
}

std::size_t Distribution::size_of(const std::array<Range, 3>& cells) const {
  std::size_t size = 1;
  for (std::size_t axis = 0; axis < 3; ++axis)
    size *= static_cast<std::size_t>(cells[axis].size() + halos_[axis].below + halos_[axis].above);
  return size;
}

Distribution::Part Distribution::placed(int rank, const std::array<Range, 3>& cells) const {
  Part part{.rank = rank, .cells = cells, .order = order_};
  std::ptrdiff_t stride = 1;
  for (std::size_t i = 3; i-- > 0;) {
    const std::size_t axis = order_[i];
    part.stride[axis] = stride;
    part.offset += halos_[axis].below * stride;
    stride *= cells[axis].size() + halos_[axis].below + halos_[axis].above;
  }
  return part;
}

Distribution::Part Distribution::part_at(const std::array<std::size_t, 3>& at) const {
  std::size_t index = 0;
  std::array<Range, 3> cells;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    index = index * (cuts_[axis].size() - 1) + at[axis];
    cells[axis] = {cuts_[axis][at[axis]], cuts_[axis][at[axis] + 1]};
  }
  return placed(rank_of(index), cells);
}

std::vector<Distribution::Part> Distribution::parts_of(int rank) const {
  if (cuts_[0].empty()) {
    const auto mine = std::ranges::equal_range(boxes_, rank, {}, &Part::rank);
    return {mine.begin(), mine.end()};
  }
  std::int64_t index = rank - first_;
  if (!ranks_.empty()) {
    const auto found = std::find(ranks_.begin(), ranks_.end(), rank);
    index = found == ranks_.end() ? -1 : found - ranks_.begin();
  }
  std::array<std::size_t, 3> at{};
  if (index < 0) return {};
  auto rest = static_cast<std::size_t>(index);
  for (std::size_t axis = 3; axis-- > 0;) {
    at[axis] = rest % (cuts_[axis].size() - 1);
    rest /= cuts_[axis].size() - 1;
  }
  if (rest > 0) return {};
  const Part part = part_at(at);
  return empty(part.cells) ? std::vector<Part>{} : std::vector{part};
}

std::size_t Distribution::elements(int rank) const {
  std::size_t sum = 0;
  for (const Part& part : parts_of(rank)) sum += size_of(part.cells);
  return sum;
}

std::vector<std::int64_t> Distribution::cells() const {
  std::vector<std::int64_t> all;
  if (!cuts_[0].empty())
    for (int axis = 3 - axes_; axis < 3; ++axis)
      all.push_back(cuts_[static_cast<std::size_t>(axis)].back());
  return all;
}

std::vector<Distribution::Part> Distribution::overlapping(const std::array<Range, 3>& cells) const {
  std::vector<Part> found;
  if (cuts_[0].empty()) {
    std::ranges::copy_if(boxes_, std::back_inserter(found),
                         [&](const Part& part) { return overlap(part.cells, cells); });
    return found;
  }
  // The parts along each axis of which some are inside.
  std::array<std::size_t, 3> first, last;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto& cuts = cuts_[axis];
    const auto begin = std::upper_bound(cuts.begin(), cuts.end(), cells[axis].begin);
    const auto end = std::lower_bound(cuts.begin(), cuts.end(), cells[axis].end);
    first[axis] = static_cast<std::size_t>(std::max<std::ptrdiff_t>(begin - cuts.begin(), 1) - 1);
    last[axis] = std::min(static_cast<std::size_t>(end - cuts.begin()), cuts.size() - 1);
  }
  std::array<std::size_t, 3> at;
  for (at[0] = first[0]; at[0] < last[0]; ++at[0])
    for (at[1] = first[1]; at[1] < last[1]; ++at[1])
      for (at[2] = first[2]; at[2] < last[2]; ++at[2])
        if (const Part part = part_at(at); !empty(part.cells)) found.push_back(part);
  return found;
}

}  // namespace halocline
