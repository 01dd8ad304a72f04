#pragma once
// A number's pieces in an ExactSum, one number at a time: for devices, where many threads have few
// numbers each.

#include "exact_sum.hpp"

#include <bit>
#include <cstdint>

namespace numerics {

/// Adds a number that is neither negative nor, but for 0, below the normal ones to the integers of
/// an ExactSum, `stride` apart; the same integers as ExactSum::add once they have settled. Up to
/// 2^22 numbers before that.
constexpr void add_to_limbs(double number, std::int64_t* limbs, std::int64_t stride) {
  if (number == 0) return;
  if (!(number <= ExactSum::too_large)) {
    ++limbs[(ExactSum::limbs - 1) * stride];
    return;
  }
  constexpr int digits = 52, bias = 1023;
  const auto bits = std::bit_cast<std::uint64_t>(number);
  std::uint64_t whole = (bits & ((std::uint64_t(1) << digits) - 1)) | std::uint64_t(1) << digits;
  // The last bit of `whole` in bits of the lowest limb.
  int at = static_cast<int>(bits >> digits) - bias - digits - ExactSum::lowest_bit;
  if (at < 0) {  // to the nearest, of two the even one, as additions round
    const std::uint64_t below = whole & ((std::uint64_t(1) << -at) - 1);
    const std::uint64_t half = std::uint64_t(1) << (-at - 1);
    whole >>= -at;
    if (below > half || (below == half && whole % 2 == 1)) ++whole;
    at = 0;
  }
  constexpr int width = ExactSum::limb_bits;
  constexpr std::uint64_t limb = (std::uint64_t(1) << width) - 1;
  const int shift = at % width;
  std::int64_t* const first = limbs + at / width * stride;
  first[0] += static_cast<std::int64_t>(whole << shift & limb);
  first[stride] += static_cast<std::int64_t>(whole >> (width - shift) & limb);
  // Nothing is left for a third one where 53 bits end in the second.
  if (shift > 2 * width - digits - 1)
    first[2 * stride] += static_cast<std::int64_t>(whole >> (2 * width - shift));
}

/// Carries, as ExactSum::settle does.
constexpr void settle_limbs(std::int64_t* limbs, std::int64_t stride) {
  std::int64_t carry = 0;
  for (int j = 0; j < ExactSum::limbs - 2; ++j) {
    std::int64_t& limb = limbs[j * stride];
    limb += carry;
    carry = limb >> ExactSum::limb_bits;
    limb -= carry << ExactSum::limb_bits;
  }
  limbs[(ExactSum::limbs - 2) * stride] += carry;
}

}  // namespace numerics
