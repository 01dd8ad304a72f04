#include "grid_system.hpp"

#include "domain.hpp"
#include "stencil.hpp"

#include <algorithm>
#include <new>

namespace laplace {

using halocline::Range;

namespace {

/// The squares of what `of(i)` gives, summed up in the lanes of a vector.
template <class Of>
double squares(std::int64_t count, const Of& of) {
  constexpr std::int64_t lanes = 8;
  double sums[lanes] = {};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      const double value = of(i + lane);
      sums[lane] += value * value;
    }
  double rest = 0;
  for (; i < count; ++i) rest += of(i) * of(i);
  for (const double sum : sums) rest += sum;
  return rest;
}

std::array<Range, 3> owned_by(const halocline::Grid& grid) {
  if (grid.idle()) return {};
  return {grid.owned(0), grid.owned(1), grid.owned(2)};
}

}  // namespace

GridSystem::GridSystem(const Problem& problem, const halocline::Grid& grid)
    : GridSystem(problem, owned_by(grid)) {
  if (!grid.idle())
    pattern_ = grid.halo().padded({lead_ - 1, plane_, row_}, grid.local(1), grid.local(2));
}

GridSystem::GridSystem(const Problem& problem, int worker, int workers)
    : GridSystem(problem, {halocline::part_of(problem.z, workers, worker), Range{0, problem.y},
                           Range{0, problem.x}}) {
  const std::int64_t planes = owned_[0].size();
  if (worker > 0) {
    pattern_.send(worker - 1, plane(0));
    pattern_.receive(worker - 1, plane(-1));
  }
  if (worker + 1 < workers) {
    pattern_.send(worker + 1, plane(planes - 1));
    pattern_.receive(worker + 1, plane(planes));
  }
}

GridSystem::GridSystem(const Problem& problem, const std::array<Range, 3>& owned)
    : problem_(problem), owned_(owned) {
  // Rows begin on cache lines, and a line before and behind the array can be read. The surface or
  // halo to the left of a row lies behind the row before.
  constexpr std::ptrdiff_t line = 8;
  const auto lines_of = [](std::int64_t count) { return (count + line - 1) / line * line; };
  row_ = lines_of(owned[2].size() + 2);
  plane_ = row_ * (owned[1].size() + 2);
  lead_ = 2 * line;
  elements_ = static_cast<std::size_t>(3 * line + plane_ * (owned[0].size() + 2));
  for (auto& array : arrays_) {
    array.reset(static_cast<double*>(std::aligned_alloc(64, elements_ * sizeof(double))));
    if (!array) throw std::bad_alloc();
    std::fill_n(array.get(), elements_, problem.start());
  }
  initialise();
}

void GridSystem::initialise() {
  const auto on_surface = [&](std::int64_t k, std::int64_t j, std::int64_t i) {
    return k == 0 || j == 0 || i == 0 || k == problem_.z + 1 || j == problem_.y + 1 ||
           i == problem_.x + 1;
  };
  newest_ = 0;
  const auto [planes, rows, points] = owned_;
  for (auto& array : arrays_)
    for (std::int64_t k = -1; k <= planes.size(); ++k)
      for (std::int64_t j = -1; j <= rows.size(); ++j)
        for (std::int64_t i = -1; i <= points.size(); ++i) {
          const std::int64_t z = planes.begin + k + 1, y = rows.begin + j + 1,
                             x = points.begin + i + 1;
          array[static_cast<std::size_t>(offset(k, j, i))] =
              on_surface(z, y, x) ? problem_.surface(z, y, x) : problem_.start();
        }
}

void GridSystem::settle() {
  if (newest_ == 0) return;
  std::copy_n(arrays_[1].get(), elements_, arrays_[0].get());
  newest_ = 0;
}

Box GridSystem::own(std::size_t array) const {
  Box box;
  box.data = arrays_[array].get() + offset(0, 0, 0);
  box.plane = plane_;
  box.row = row_;
  box.size = {owned_[0].size(), owned_[1].size(), owned_[2].size()};
  return box;
}

double GridSystem::sweep(int steps, bool wanted) {
  // The halo stays as it is, as if it were the surface.
  const Sweeps sweeps{own(newest_), own(1 - newest_), steps, {}, wanted};
  const double changes = laplace::sweep(sweeps, 1, workspace_);
  if (steps % 2 != 0) newest_ = 1 - newest_;
  // A new value is the old one and a sixth of its residual.
  return 36 * changes;
}

double GridSystem::residual() const {
  const Box box = own(newest_);
  double sum = 0;
  for (std::int64_t k = 0; k < owned_[0].size(); ++k)
    for (std::int64_t j = 0; j < owned_[1].size(); ++j) {
      const double* const here = box.at(k, j);
      sum += squares(owned_[2].size(), [&](std::int64_t i) {
        return sum_of_six(here[i - 1], here[i + 1], here[i - row_], here[i + row_],
                          here[i - plane_], here[i + plane_]) -
               6 * here[i];
      });
    }
  return sum;
}

double GridSystem::source() const {
  double sum = 0;
  for (std::int64_t k = owned_[0].begin + 1; k <= owned_[0].end; ++k)
    for (std::int64_t j = owned_[1].begin + 1; j <= owned_[1].end; ++j)
      for (std::int64_t i = owned_[2].begin + 1; i <= owned_[2].end; ++i) {
        double b = 0;
        if (k == 1) b += problem_.surface(0, j, i);
        if (k == problem_.z) b += problem_.surface(k + 1, j, i);
        if (j == 1) b += problem_.surface(k, 0, i);
        if (j == problem_.y) b += problem_.surface(k, j + 1, i);
        if (i == 1) b += problem_.surface(k, j, 0);
        if (i == problem_.x) b += problem_.surface(k, j, i + 1);
        sum += b * b;
      }
  return sum;
}

halocline::Block GridSystem::plane(std::int64_t k) const {
  return {offset(k, -1, -1),
          {1, static_cast<std::size_t>(owned_[1].size() + 2),
           static_cast<std::size_t>(owned_[2].size() + 2)},
          {plane_, row_}};
}

std::vector<Part> GridSystem::parts() const {
  const std::int64_t ends[] = {problem_.z, problem_.y, problem_.x};
  Part part;
  std::ptrdiff_t first = 0;
  part.plane = plane_;
  part.row = row_;
  const std::ptrdiff_t strides[] = {plane_, row_, 1};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const Range& owned = owned_[axis];
    if (owned.size() == 0) return {};
    const bool at_begin = owned.begin == 0, at_end = owned.end == ends[axis];
    part.points[axis] = {owned.begin + (at_begin ? 0 : 1), owned.end + (at_end ? 2 : 1)};
    first += at_begin ? 0 : strides[axis];
  }
  part.data = arrays_[newest_].get() + offset(-1, -1, -1) + first;
  return {part};
}

}  // namespace laplace
