#pragma once
// What happens between two particles, in one place: the same operations in every kernel, in vectors
// of any width, so the same bits.

#include "lennard_jones.hpp"

#include <numerics/lanes.hpp>

namespace md {

/// `V` is double or a vector of doubles.
template <class V>
struct Pair {
  double a12, a6, e12, e6, up;

  Pair(const LennardJones& lj, double shift) {
    const double sigma2 = lj.sigma * lj.sigma, sigma6 = sigma2 * sigma2 * sigma2;
    a12 = 48 * lj.epsilon * sigma6 * sigma6;
    a6 = -24 * lj.epsilon * sigma6;
    e12 = 4 * lj.epsilon * sigma6 * sigma6;
    e6 = -4 * lj.epsilon * sigma6;
    up = shift;
  }

  static V distance_squared(V dx, V dy, V dz) {
    return numerics::fma(dz, dz, numerics::fma(dy, dy, dx * dx));
  }
  static V inverse_sixth(V inverse) { return inverse * inverse * inverse; }
  /// The force over the distance, from 1 / r^2.
  V force(V inverse) const {
    const V square = inverse * inverse;
    return square * square * numerics::fma(every(a12), square * inverse, every(a6));
  }
  V potential(V sixth) const {
    return numerics::fma(sixth, numerics::fma(every(e12), sixth, every(e6)), every(up));
  }

 private:
  static V every(double value) { return value - V{}; }
};

}  // namespace md
