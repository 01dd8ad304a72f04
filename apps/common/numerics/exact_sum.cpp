#include "exact_sum.hpp"

#include "exact_limbs.hpp"
#include "lanes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>

namespace numerics {

namespace {

constexpr int bits = ExactSum::limb_bits, lowest = ExactSum::lowest_bit;
constexpr int numbers_limbs = ExactSum::limbs - 1;
// So many pieces of 40 bits have a sum of 52, which a double holds.
constexpr std::ptrdiff_t most = 4096;

constexpr double too_large = ExactSum::too_large;

double power(int exponent) {
  return std::ldexp(1.0, exponent);
}

/// Calls `work` with the number of lanes and an index: whole vectors first, then single numbers.
template <class Work>
void each(std::ptrdiff_t count, const Work& work) {
  const std::ptrdiff_t whole = count / widest * widest;
  for (std::ptrdiff_t i = 0; i < whole; i += widest) work(std::integral_constant<int, widest>(), i);
  for (std::ptrdiff_t i = whole; i < count; ++i) work(std::integral_constant<int, 1>(), i);
}

/// Something for each lane of whole vectors, and once more for single numbers.
struct PerLane {
  Lanes<widest> whole{};
  double single = 0;

  template <int L>
  Lanes<L>& of() {
    if constexpr (L == 1)
      return single;
    else
      return whole;
  }
  template <class Combine>
  double together(const Combine& combine) const {
    double all = single;
    for (int lane = 0; lane < widest; ++lane) all = combine(all, whole[lane]);
    return all;
  }
};

double largest_of(const PerLane& sizes) {
  return sizes.together([](double a, double b) { return a < b ? b : a; });
}

/// Takes off each number its pieces in `Limbs` limbs, from limb `top` down, and adds these up. The
/// rest stays in the array; returns how large it is at most.
template <std::size_t Limbs>
double take_off(double* numbers, std::ptrdiff_t count, int top, std::array<double, Limbs>& sums) {
  std::array<double, Limbs> shifts;
  for (std::size_t k = 0; k < Limbs; ++k)
    shifts[k] = 1.5 * power(bits * (top - static_cast<int>(k)) + lowest + 52);
  std::array<PerLane, Limbs> added;
  PerLane sizes;
  each(count, [&]<int L>(std::integral_constant<int, L>, std::ptrdiff_t i) {
    Lanes<L> rest = load<L>(numbers + i);
    for (std::size_t k = 0; k < Limbs; ++k) {
      const Lanes<L> piece = (rest + shifts[k]) - shifts[k];
      added[k].template of<L>() += piece;
      rest -= piece;
    }
    sizes.of<L>() = larger<L>(sizes.of<L>(), magnitude<L>(rest));
    store<L>(numbers + i, rest);
  });
  for (std::size_t k = 0; k < Limbs; ++k) sums[k] = added[k].together(std::plus<>());
  return largest_of(sizes);
}

__extension__ typedef unsigned __int128 Wide;

}  // namespace

void ExactSum::add(double* numbers, std::ptrdiff_t count) {
  for (; count > most; numbers += most, count -= most) add_some(numbers, most);
  add_some(numbers, count);
}

void ExactSum::add_some(double* numbers, std::ptrdiff_t count) {
  PerLane sizes, excess;
  each(count, [&]<int L>(std::integral_constant<int, L>, std::ptrdiff_t i) {
    const Lanes<L> number = load<L>(numbers + i);
    sizes.of<L>() = larger<L>(sizes.of<L>(), magnitude<L>(number));
    // 0 of a number that is fine; not 0 of the others, NaN among them.
    excess.of<L>() += number - number;
  });
  double largest = largest_of(sizes);
  if (excess.together(std::plus<>()) != 0 || !(largest <= too_large)) {
    ++limbs_.back();
    return;
  }
  const auto from = [&]<std::size_t Limbs>(std::integral_constant<std::size_t, Limbs>, int top) {
    std::array<double, Limbs> sums;
    largest = take_off(numbers, count, top, sums);
    for (std::size_t k = 0; k < Limbs; ++k) {
      const int limb = top - static_cast<int>(k);
      limbs_[static_cast<std::size_t>(limb)] +=
          static_cast<std::int64_t>(sums[k] * power(-(bits * limb + lowest)));
    }
  };
  // From the limb of the largest number's first bit on, until nothing is left. Three limbs hold
  // what is within 2^-28 of the largest; each time that numbers are read costs as much as a limb.
  constexpr int at_once = 3;
  int limb = largest > 0 ? (std::ilogb(largest) - lowest) / bits : -1;
  for (; largest > 0 && limb >= at_once - 1; limb -= at_once)
    from(std::integral_constant<std::size_t, at_once>(), limb);
  for (; largest > 0 && limb >= 0; --limb) from(std::integral_constant<std::size_t, 1>(), limb);
  // Up to 2^53 more in a limb each time.
  if (++unsettled_ == 512) settle();
}

void ExactSum::settle() noexcept {
  settle_limbs(limbs_.data(), 1);
  unsettled_ = 0;
}

ExactSum& ExactSum::operator+=(const ExactSum& other) noexcept {
  ExactSum settled = other;
  settled.settle();
  settle();
  for (std::size_t j = 0; j < limbs_.size(); ++j) limbs_[j] += settled.limbs_[j];
  return *this;
}

double ExactSum::value() const noexcept {
  ExactSum settled = *this;
  settled.settle();
  auto& digits = settled.limbs_;
  if (digits.back() > 0) return std::numeric_limits<double>::infinity();
  const bool negative = digits[numbers_limbs - 1] < 0;
  if (negative) {
    for (std::int64_t& digit : digits) digit = -digit;
    settled.settle();
  }
  int top = numbers_limbs - 1;
  while (top > 2 && digits[static_cast<std::size_t>(top)] == 0) --top;
  // At least 81 bits, and whether there are more: that decides how they round to 53.
  Wide leading = 0;
  for (int j = top; j > top - 3; --j)
    leading = leading << bits | static_cast<Wide>(digits[static_cast<std::size_t>(j)]);
  const bool more =
      std::any_of(digits.begin(), digits.begin() + top - 2, [](auto digit) { return digit != 0; });
  if (more) leading |= 1;
  const double size = std::ldexp(static_cast<double>(leading), bits * (top - 2) + lowest);
  return negative ? -size : size;
}

}  // namespace numerics
