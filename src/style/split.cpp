#include <halocline/more/style.hpp>

#include "pieces.hpp"

#include <algorithm>

namespace halocline {

Split split_cells(const std::array<std::int64_t, 3>& size,
                  const std::array<std::array<bool, 2>, 3>& continues, int pieces,
                  std::int64_t width) {
  Split split;
  Cells rest;
  for (std::size_t axis = 0; axis < 3; ++axis) rest.axes[axis] = {0, size[axis]};
  const auto add = [&](const Cells& face, std::size_t across) {
    if (face.empty()) return;
    // Along the slowest of the other axes that has as many cells.
    std::size_t along = across == 0 ? 1 : 0;
    for (const std::size_t axis : {std::size_t{0}, std::size_t{1}, std::size_t{2}})
      if (axis != across && face.axes[axis].size() >= pieces) {
        along = axis;
        break;
      }
    for (int piece = 0; piece < pieces; ++piece) {
      const detail::Share share(face.axes[along].size(), piece, pieces);
      Cells part = face;
      part.axes[along] = {face.axes[along].begin + share.begin, face.axes[along].begin + share.end};
      if (!part.empty()) split.border.push_back(part);
    }
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Range& left = rest.axes[axis];
    if (continues[axis][0]) {
      Cells face = rest;
      face.axes[axis] = {left.begin, std::min(left.begin + width, left.end)};
      add(face, axis);
      left.begin = face.axes[axis].end;
    }
    if (continues[axis][1]) {
      Cells face = rest;
      face.axes[axis] = {std::max(left.begin, left.end - width), left.end};
      add(face, axis);
      left.end = face.axes[axis].begin;
    }
  }
  split.inner = rest;
  return split;
}

}  // namespace halocline
