#pragma once
// Fixed point: numbers as integer multiples of a power of two, their quantum. Their sums do not
// depend on order.
//
// Adding 3 * 2^51 quanta to a double leaves the number of quanta, rounded to nearest, in its last
// bits; a negative number is rounded as the positive one is, because that constant is even. So
// `std::fma(a, b, number.magic())` is a product rounded once, to the grid.

#include <bit>
#include <cmath>
#include <cstdint>

namespace md {

/// The first power of two that is no smaller; for positive numbers.
inline double power_of_two_above(double number) {
  int exponent;
  const double mantissa = std::frexp(number, &exponent);
  return std::ldexp(1, mantissa == 0.5 ? exponent - 1 : exponent);
}

/// The nearest double, as a conversion gives it, by operations that vectors of 256 bits have, too:
/// the upper half and the lower one each become the last bits of a double.
inline double nearest_double(std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  const auto upper = std::bit_cast<double>(0x4530000080000000u ^ (bits >> 32)),
             lower = std::bit_cast<double>(0x4330000000000000u | (bits & 0xffffffffu));
  return (upper - (0x1p84 + 0x1p63 + 0x1p52)) + lower;
}

class FixedPoint {
 public:
  FixedPoint() : FixedPoint(1) {}
  /// For numbers whose magnitude is below `limit` (rounded up to a power of two).
  explicit FixedPoint(double limit)
      : quantum_(std::ldexp(power_of_two_above(limit), -51)),
        magic_(std::ldexp(quantum_, 51) * 3) {}

  double quantum() const noexcept { return quantum_; }
  double limit() const noexcept { return std::ldexp(quantum_, 51); }
  double magic() const noexcept { return magic_; }

  /// How many quanta a number has.
  std::int64_t count(double number) const noexcept { return count_shifted(number + magic_); }
  /// The same of a number to which `magic` has been added already.
  std::int64_t count_shifted(double shifted) const noexcept {
    return std::bit_cast<std::int64_t>(shifted) - std::bit_cast<std::int64_t>(magic_);
  }
  double rounded(double number) const noexcept { return (number + magic_) - magic_; }
  /// The number; rounded once if the count has more than 53 bits.
  double value(std::int64_t count) const noexcept { return static_cast<double>(count) * quantum_; }

 private:
  double quantum_, magic_;
};

}  // namespace md
