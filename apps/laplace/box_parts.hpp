#pragma once
// A box in parts: the points that need no halo, and those that do.

#include "box.hpp"
#include "sweeps.hpp"

#include <halocline/more/style.hpp>

namespace laplace {

inline Box part(Box box, const halocline::Cells& cells) {
  box.data = box.at(cells.axes[0].begin, cells.axes[1].begin) + cells.axes[2].begin;
  for (std::size_t axis = 0; axis < 3; ++axis) box.size[axis] = cells.axes[axis].size();
  return box;
}

/// The border has so many pieces a face.
inline halocline::Split split(const Box& box, const Continues& continues, int pieces) {
  return halocline::split_cells({box.size[0], box.size[1], box.size[2]}, continues, pieces);
}

}  // namespace laplace
