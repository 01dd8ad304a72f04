#pragma once
// The median of samples and what is certain about it, in one place for the library and its
// programs.

#include <span>

#pragma GCC visibility push(default)  // halocline::style has it, too

namespace halocline::base {

struct Interval {
  double value = 0, low = 0, high = 0;
  double confidence = 0;  ///< what it holds; of few samples it is the whole range

  /// The interval's width as a share of the value.
  double width() const noexcept { return value > 0 ? (high - low) / value : 0; }
};

/// The median and its interval from order statistics: the number of samples below the true median
/// is binomial(n, 1/2), whatever the distribution (T. Hoefler and R. Belli, SC15, section 3.1.3,
/// doi:10.1145/2807591.2807644). Of no samples all is zero.
Interval median(std::span<const double> samples, double confidence = 0.95);

}  // namespace halocline::base

#pragma GCC visibility pop
