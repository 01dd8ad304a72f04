#include "box.hpp"

#include "fixed_point.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace md {

Box::Box(const Vector& edges, const std::array<bool, 3>& walls) : edges_(edges), walls_(walls) {
  for (const double edge : edges)
    if (!(edge > 0) || !std::isfinite(edge))
      throw std::invalid_argument("the edges of the box are " + std::to_string(edges[0]) + ", " +
                                  std::to_string(edges[1]) + " and " + std::to_string(edges[2]) +
                                  "; each has to be a positive length");
  const double longest = *std::max_element(edges.begin(), edges.end());
  quantum_ = std::ldexp(power_of_two_above(longest), -50);
  for (double& edge : edges_) edge = std::round(edge / quantum_) * quantum_;
  if (*std::min_element(edges_.begin(), edges_.end()) <= 0)
    throw std::invalid_argument("the shortest edge of the box is nothing beside its longest");
}

Vector Box::position(const Vector& point) const {
  Vector position;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double edge = edges_[axis];
    double x = point[axis];
    if (!walls_[axis] && (x < 0 || x >= edge)) x -= edge * std::floor(x / edge);
    x = std::nearbyint(x / quantum_) * quantum_;
    if (!walls_[axis] && x < 0) x += edge;
    if (!walls_[axis] && x >= edge) x -= edge;
    position[axis] = x;
  }
  return position;
}

bool Box::contains(const Vector& position) const {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double x = position[axis];
    if (!(x >= 0 && (x < edges_[axis] || (walls_[axis] && x == edges_[axis])))) return false;
  }
  return true;
}

}  // namespace md
