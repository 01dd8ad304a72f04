#include "grid_system.hpp"

#include "stencil.hpp"

#include <algorithm>

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
  pattern_ = grid.halo();
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
    : problem_(problem),
      owned_(owned),
      row_(owned[2].size() + 2),
      plane_(row_ * (owned[1].size() + 2)),
      array_(new double[static_cast<std::size_t>(plane_ * (owned[0].size() + 2))]),
      new_(static_cast<std::size_t>(2 * owned[1].size() * owned[2].size())) {
  initialise();
}

void GridSystem::initialise() {
  const auto on_surface = [&](std::int64_t k, std::int64_t j, std::int64_t i) {
    return k == 0 || j == 0 || i == 0 || k == problem_.z + 1 || j == problem_.y + 1 ||
           i == problem_.x + 1;
  };
  double* to = array_.get();
  for (std::int64_t k = owned_[0].begin; k < owned_[0].end + 2; ++k)
    for (std::int64_t j = owned_[1].begin; j < owned_[1].end + 2; ++j)
      for (std::int64_t i = owned_[2].begin; i < owned_[2].end + 2; ++i)
        *to++ = on_surface(k, j, i) ? problem_.surface(k, j, i) : problem_.start();
}

double GridSystem::sweep(bool wanted) {
  const std::int64_t planes = owned_[0].size(), rows = owned_[1].size(), points = owned_[2].size();
  const auto fresh = [&](std::int64_t k, std::int64_t j) {
    return new_.data() + (k % 2 * rows + j) * points;
  };
  // A plane goes back into the array when the one above it no longer needs its old values.
  const auto put = [&](std::int64_t k) {
    for (std::int64_t j = 0; j < rows; ++j) std::copy_n(fresh(k, j), points, at(k, j));
  };
  double sum = 0;
  for (std::int64_t k = 0; k < planes; ++k) {
    for (std::int64_t j = 0; j < rows; ++j) {
      const double* const below = at(k - 1, j);
      const double* const above = at(k + 1, j);
      const double* const front = at(k, j - 1);
      const double* const back = at(k, j + 1);
      const double* const here = at(k, j);
      double* const to = fresh(k, j);
      for (std::int64_t i = 0; i < points; ++i)
        to[i] = sixth * sum_of_six(here[i - 1], here[i + 1], front[i], back[i], below[i], above[i]);
      // The new value is the old one and a sixth of its residual.
      if (wanted) sum += 36 * squares(points, [&](std::int64_t i) { return to[i] - here[i]; });
    }
    if (k > 0) put(k - 1);
  }
  if (planes > 0) put(planes - 1);
  return sum;
}

double GridSystem::residual() const {
  double sum = 0;
  for (std::int64_t k = 0; k < owned_[0].size(); ++k)
    for (std::int64_t j = 0; j < owned_[1].size(); ++j) {
      const double* const below = at(k - 1, j);
      const double* const above = at(k + 1, j);
      const double* const front = at(k, j - 1);
      const double* const back = at(k, j + 1);
      const double* const here = at(k, j);
      sum += squares(owned_[2].size(), [&](std::int64_t i) {
        return sum_of_six(here[i - 1], here[i + 1], front[i], back[i], below[i], above[i]) -
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
  return {static_cast<std::ptrdiff_t>(k + 1) * plane_,
          {1, 1, static_cast<std::size_t>(plane_)},
          {plane_, plane_}};
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
  part.data = array_.get() + first;
  return {part};
}

}  // namespace laplace
