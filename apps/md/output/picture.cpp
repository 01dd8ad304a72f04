#include "picture.hpp"

#include <frame/image.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace md {

using namespace halocline;

namespace {

/// Points of a picture of the x-y plane, and what all spots add to each: integers, whose sum does
/// not depend on who adds first.
class Canvas {
 public:
  explicit Canvas(const Box& box)
      : box_(box), size_(std::max(box.edges()[0], box.edges()[1]) / 512) {
    for (std::size_t axis = 0; axis < 2; ++axis)
      points_[axis] = std::max<std::int64_t>(1, std::llround(box.edges()[axis] / size_));
    sums_.resize(static_cast<std::size_t>(points_[0] * points_[1]));
  }

  std::int64_t points(std::size_t axis) const noexcept { return points_[axis]; }
  std::vector<std::int64_t>& sums() noexcept { return sums_; }
  std::int64_t& at(std::int64_t x, std::int64_t y) {
    return sums_[static_cast<std::size_t>(y * points_[0] + x)];
  }

  void spot(const Vector& place, double radius) {
    const double x = place[0] / size_, y = place[1] / size_, r = std::max(1.0, radius / size_);
    for (auto j = static_cast<std::int64_t>(std::floor(y - r));
         j <= static_cast<std::int64_t>(y + r); ++j)
      for (auto i = static_cast<std::int64_t>(std::floor(x - r));
           i <= static_cast<std::int64_t>(x + r); ++i) {
        // From the middle of the point.
        const double dx = static_cast<double>(i) + 0.5 - x, dy = static_cast<double>(j) + 0.5 - y;
        const double faded = 1 - (dx * dx + dy * dy) / (r * r);
        if (faded <= 0) continue;
        const auto column = within(i, 0), row = within(j, 1);
        if (column >= 0 && row >= 0) at(column, row) += std::llround(1000 * faded * faded);
      }
  }

 private:
  /// Negative beyond a wall.
  std::int64_t within(std::int64_t i, std::size_t axis) const {
    if (i >= 0 && i < points_[axis]) return i;
    return box_.walls(static_cast<int>(axis)) ? -1
                                              : (i % points_[axis] + points_[axis]) % points_[axis];
  }

  Box box_;
  double size_;  ///< of a point
  std::array<std::int64_t, 2> points_{};
  std::vector<std::int64_t> sums_;
};

}  // namespace

void write_picture(MPI_Comm comm, const std::string& file, const Box& box, double radius,
                   std::span<const Particle> mine) {
  Canvas canvas(box);
  for (const Particle& particle : mine) canvas.spot(particle.position, radius);
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, canvas.sums().data(),
                static_cast<int>(canvas.sums().size()), MPI_INT64_T, MPI_SUM, comm);
  const std::int64_t rows = canvas.points(1);
  frame::write_image(comm, file, rows, canvas.points(0),
                     [&](std::int64_t row, std::int64_t column) -> std::optional<double> {
                       return static_cast<double>(canvas.at(column, rows - 1 - row));
                     });
}

}  // namespace md
