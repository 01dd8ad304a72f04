#include "border.hpp"

namespace halocline {

namespace {

bool contains(const Block& box, std::ptrdiff_t element) {
  if (box.size() == 0) return false;
  std::ptrdiff_t left = element - box.offset;
  if (left < 0) return false;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (box.count[axis] == 1) continue;  // and its stride may be 0
    const std::ptrdiff_t place = left / box.stride[axis];
    if (place >= static_cast<std::ptrdiff_t>(box.count[axis])) return false;
    left -= place * box.stride[axis];
  }
  return left < static_cast<std::ptrdiff_t>(box.count[2]);
}

/// Calls act(link, place in the message, element).
template <class Act>
void for_elements(const std::vector<Link>& links, const Act& act) {
  for (std::size_t link = 0; link < links.size(); ++link) {
    std::size_t place = 0;
    for (const Block& block : links[link].blocks)
      for (std::size_t p = 0; p < block.count[0]; ++p)
        for (std::size_t r = 0; r < block.count[1]; ++r)
          for (std::size_t e = 0; e < block.count[2]; ++e)
            act(link, place++,
                block.offset + static_cast<std::ptrdiff_t>(p) * block.stride[0] +
                    static_cast<std::ptrdiff_t>(r) * block.stride[1] +
                    static_cast<std::ptrdiff_t>(e));
  }
}

void add(std::vector<detail::Run>& runs, std::size_t link, std::size_t place) {
  if (!runs.empty() && runs.back().link == link && runs.back().first + runs.back().count == place)
    ++runs.back().count;
  else
    runs.push_back({link, place, 1});
}

}  // namespace

detail::Border::Border(const Pattern& pattern, std::span<const Touched> units)
    : reads(units.size()), writes(units.size()) {
  for_elements(pattern.receives(),
               [&](std::size_t link, std::size_t place, std::ptrdiff_t element) {
                 for (std::size_t unit = 0; unit < units.size(); ++unit)
                   if (contains(units[unit].reads, element)) add(reads[unit], link, place);
               });
  // One unit is enough for an element: each is swept once.
  for_elements(pattern.sends(), [&](std::size_t link, std::size_t place, std::ptrdiff_t element) {
    for (std::size_t unit = 0; unit < units.size(); ++unit)
      if (contains(units[unit].writes, element)) return add(writes[unit], link, place);
    add(unwritten, link, place);
  });
}

Touched touched(const Cells& cells, std::ptrdiff_t first,
                const std::array<std::ptrdiff_t, 2>& stride, std::int64_t reach) {
  const auto box = [&](std::int64_t more) {
    Block block{.offset = first, .stride = stride};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::ptrdiff_t step = axis < 2 ? stride[axis] : 1;
      // An axis that the array does not have has one cell, and nothing around it.
      const std::int64_t around = step == 0 ? 0 : more;
      block.offset += (cells.axes[axis].begin - around) * step;
      block.count[axis] = static_cast<std::size_t>(cells.axes[axis].size() + 2 * around);
    }
    return block;
  };
  return {.reads = box(reach), .writes = box(0)};
}

}  // namespace halocline
