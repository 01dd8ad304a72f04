#pragma once
// The arithmetic. Every result's bits come from here, so its order is part of the definition.

namespace laplace {

/// The six neighbours, in an order that keeps every symmetry of the problem to the last bit: a
/// mirrored grid has the mirrored solution, and x and y may change places.
template <class Value>
constexpr Value sum_of_six(Value west, Value east, Value south, Value north, Value below,
                           Value above) {
  return ((west + east) + (south + north)) + (below + above);
}

/// A multiplication, because a vector of divisions takes four times as long.
constexpr double sixth = 1.0 / 6;

}  // namespace laplace
