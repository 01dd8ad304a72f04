#pragma once
// The box that all particles are in, and the fixed-point numbers that positions are.
//
// Positions are lengths, but only multiples of a power of two, 2^-50 of the first one that is no
// smaller than the longest edge. Edges are such multiples, too. So the image of a particle, an edge
// or two further on, and the difference of two positions are exact: the distance of two particles
// is the same bits on every rank and in whatever image it is taken.

#include "particle.hpp"

#include <string>

namespace md {

class Box {
 public:
  Box() : Box({1, 1, 1}) {}
  /// Edges are rounded to the quantum. Throws std::invalid_argument for one that is not positive.
  /// Where `walls` is true the axis has reflecting walls at both ends, else it is periodic.
  explicit Box(const Vector& edges, const std::array<bool, 3>& walls = {});

  const Vector& edges() const noexcept { return edges_; }
  bool walls(int axis) const noexcept { return walls_[static_cast<std::size_t>(axis)]; }
  double volume() const noexcept { return edges_[0] * edges_[1] * edges_[2]; }
  /// Positions are multiples of it.
  double quantum() const noexcept { return quantum_; }

  /// The position of the box nearest to a point: rounded, then moved by edges along periodic axes
  /// (into [0, edge)). Along an axis with walls (whose positions are [0, edge], both ends
  /// included) it stays outside if it is. Not for points further away than a few boxes.
  Vector position(const Vector& point) const;
  /// Whether a position is within the box. False for what is not a number.
  bool contains(const Vector& position) const;

 private:
  Vector edges_;
  std::array<bool, 3> walls_;
  double quantum_;
};

}  // namespace md
