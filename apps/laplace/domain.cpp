#include "domain.hpp"

#include <algorithm>

namespace laplace {

using halocline::Grid;
using halocline::HaloWidth;
using halocline::Pattern;
using halocline::Range;

namespace {

constexpr std::ptrdiff_t line = 8;  // doubles in a cache line

constexpr std::ptrdiff_t lines_of(std::ptrdiff_t doubles) {
  return (doubles + line - 1) / line * line;
}

}  // namespace

Domain::Domain(const Problem& problem, Grid grid) : problem_(problem), grid_(std::move(grid)) {
  if (idle()) return;
  // Cell c is point c + 1.
  for (int axis = 0; axis < 3; ++axis)
    first_[static_cast<std::size_t>(axis)] = grid_.owned(axis).begin + 1 - grid_.width(axis).below;
  const HaloWidth beside = grid_.width(2);
  const std::ptrdiff_t before = lines_of(beside.below);
  row_ = lines_of(grid_.local(2));
  plane_ = grid_.local(1) * row_;
  // Vectors reach over the ends of rows, by a line at most.
  lead_ = line + before - beside.below;
  elements_ = static_cast<std::size_t>(2 * line + grid_.local(0) * plane_);
}

Pattern Domain::halo() const {
  if (idle()) return {};
  return grid_.halo().padded({lead_, plane_, row_}, grid_.local(1), grid_.local(2));
}

void Domain::initialise(double* array, int threads) const {
  if (idle()) return;
  std::fill_n(array, lead_, problem_.start());
  const Range planes{first_[0], first_[0] + grid_.local(0)};
  const Range rows{first_[1], first_[1] + grid_.local(1)};
  const Range points{first_[2], first_[2] + grid_.local(2)};
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t k = planes.begin; k < planes.end; ++k) {
    double* const plane = array + lead_ + (k - first_[0]) * plane_;
    const std::ptrdiff_t last = k + 1 == planes.end ? 2 * line - lead_ : 0;
    std::fill_n(plane, plane_ + last, problem_.start());
    // The halo may reach beyond the surface, where nothing is looked at.
    if (k < 0 || k > problem_.z + 1) continue;
    for (std::int64_t j = std::max<std::int64_t>(rows.begin, 0);
         j < std::min(rows.end, problem_.y + 2); ++j) {
      const bool all = k == 0 || k == problem_.z + 1 || j == 0 || j == problem_.y + 1;
      for (std::int64_t i = std::max<std::int64_t>(points.begin, 0);
           i < std::min(points.end, problem_.x + 2); ++i)
        if (all || i == 0 || i == problem_.x + 1)
          array[offset(k, j, i)] = problem_.surface(k, j, i);
    }
  }
}

Box Domain::own(double* array) const noexcept {
  Box box;
  if (idle()) return box;
  box.plane = plane_;
  box.row = row_;
  for (int axis = 0; axis < 3; ++axis)
    box.size[static_cast<std::size_t>(axis)] = grid_.owned(axis).size();
  box.data =
      array + offset(grid_.owned(0).begin + 1, grid_.owned(1).begin + 1, grid_.owned(2).begin + 1);
  return box;
}

Range Domain::points(int axis) const {
  if (idle()) return {};
  const Range owned = grid_.owned(axis);
  const std::int64_t cells = grid_.cells()[static_cast<std::size_t>(axis)];
  return {owned.begin == 0 ? 0 : owned.begin + 1, owned.end == cells ? cells + 2 : owned.end + 1};
}

std::vector<Part> Domain::parts(const double* array) const {
  if (idle()) return {};
  Part part;
  part.points = {points(0), points(1), points(2)};
  part.data = array + offset(part.points[0].begin, part.points[1].begin, part.points[2].begin);
  part.plane = plane_;
  part.row = row_;
  return {part};
}

Continues Domain::continues() const {
  Continues continues{};
  if (idle()) return continues;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const int side : {0, 1}) {
      std::vector<int> offset(3, 0);
      offset[axis] = 2 * side - 1;
      continues[axis][static_cast<std::size_t>(side)] = grid_.neighbour(offset) != MPI_PROC_NULL;
    }
  return continues;
}

}  // namespace laplace
