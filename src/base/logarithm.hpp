#pragma once
// A logarithm by sums, products and quotients alone, which IEEE 754 rounds in one way. What libm
// gives may differ in its last digit from node to node, and ranks that decide by it could part.

#pragma GCC visibility push(default)  // halocline::style has it, too

namespace halocline::base {

/// The natural logarithm of a number above 0, to some 1e-16 of itself: the same bits everywhere.
double logarithm(double value);

}  // namespace halocline::base

#pragma GCC visibility pop
