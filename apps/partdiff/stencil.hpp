#pragma once
// The arithmetic: each method's five values in the order that the bits depend on.

namespace partdiff {

/// Values around a point: after the sweep before this one, and those that this sweep has passed.
template <class Value>
struct Around {
  Value old_up, old_left, right, down;
  Value new_up, new_left;
};

template <class Value>
constexpr Value star(Value up, Value left, Value right, Value down) {
  return 0.25 * (((up + left) + right) + down);
}

struct Jacobi {
  static constexpr bool needs_new = false;
  template <class Value>
  static Value update(const Around<Value>& a) {
    return star(a.old_up, a.old_left, a.right, a.down);
  }
};

struct GaussSeidel {
  static constexpr bool needs_new = true;
  template <class Value>
  static Value update(const Around<Value>& a) {
    return star(a.new_up, a.new_left, a.right, a.down);
  }
};

}  // namespace partdiff
