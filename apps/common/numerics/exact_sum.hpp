#pragma once
// Sums that do not depend on order: exact, and rounded once.
//
// A number is cut at fixed places, 40 bits apart, into pieces that are added without any rounding:
// by additions of a large constant, a vector of numbers at a time (J. Demmel and H. D. Nguyen,
// "Fast reproducible floating-point summation", ARITH 2013), and then in integers that span the
// range of a double (U. Kulisch's long accumulator).

#include <array>
#include <cstddef>
#include <cstdint>

namespace numerics {

/// The sum of doubles up to 1e290 in size. Pieces below 2^-1020 do not count.
class ExactSum {
 public:
  static constexpr int limbs = 52;
  static constexpr int limb_bits = 40, lowest_bit = -1020;
  static constexpr double too_large = 1e290;

  /// Consumes the numbers: what is left in the array is meaningless.
  void add(double* numbers, std::ptrdiff_t count);
  ExactSum& operator+=(const ExactSum&) noexcept;

  /// The double nearest to the sum; infinity if a number was none or too large.
  double value() const noexcept;

  /// The state as integers: a sum over ranks is their sum, one by one, of up to 2^20 ranks. Settle
  /// before.
  std::array<std::int64_t, limbs>& integers() noexcept { return limbs_; }
  /// Carries, which leaves every integer but the last two from 0 to below 2^40; the last but one
  /// has the sign.
  void settle() noexcept;

 private:
  void add_some(double* numbers, std::ptrdiff_t count);

  // Limb j counts units of 2^(40 j - 1020). The last one counts numbers that were too large.
  std::array<std::int64_t, limbs> limbs_{};
  int unsettled_ = 0;  ///< additions since limbs were settled
};

}  // namespace numerics
