// Sums that are exact: the same bits in any order and any parts, and the nearest double.

#include <numerics/exact_limbs.hpp>
#include <numerics/exact_sum.hpp>
#include <numerics/no_denormals.hpp>

#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace {

using numerics::ExactSum;
using numerics::NoDenormals;
using Numbers = std::vector<double>;

double sum(Numbers numbers) {
  ExactSum sum;
  sum.add(numbers.data(), std::ssize(numbers));
  return sum.value();
}

/// J. Shewchuk's expansions ("Adaptive precision floating-point arithmetic", 1997): partial sums
/// that do not overlap. Rounded once, by adding from the largest, as Python's fsum does.
double nearest(const Numbers& numbers) {
  Numbers partials;
  for (double x : numbers) {
    std::size_t kept = 0;
    for (double y : partials) {
      if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
      const double high = x + y, low = y - (high - x);
      if (low != 0) partials[kept++] = low;
      x = high;
    }
    partials.resize(kept);
    partials.push_back(x);
  }
  double high = 0, low = 0;
  while (!partials.empty() && low == 0) {
    const double x = high, y = partials.back();
    partials.pop_back();
    high = x + y;
    low = y - (high - x);
  }
  // What is left decides where the low part is half a unit.
  if (!partials.empty() && (low < 0) == (partials.back() < 0)) {
    const double twice = 2 * low, up = high + twice;
    if (up - high == twice) high = up;
  }
  return high;
}

Numbers random(std::size_t count, int lowest, int highest, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> mantissa(1, 2);
  std::uniform_int_distribution<int> exponent(lowest, highest);
  Numbers numbers(count);
  for (double& number : numbers) number = std::ldexp(mantissa(generator), exponent(generator));
  return numbers;
}

/// As many threads of a device add: integers of their own, a stride apart, that are added in the
/// end.
TEST(ExactSum, HasTheIntegersOfNumbersThatAreAddedOneByOne) {
  constexpr std::int64_t workers = 7;
  // All that is normal, what rounds at the lowest bit, what crosses limbs, and what is too large.
  const std::array<std::array<int, 2>, 5> exponents{
      {{-1022, 962}, {-1022, -960}, {-985, -975}, {-45, 45}, {900, 1023}}};
  unsigned seed = 1;
  for (const auto& [lowest, highest] : exponents) {
    Numbers numbers = random(5000, lowest, highest, seed++);
    // Exactly between two, where rounding is to the even one.
    for (int i = 0; i < 60; ++i) numbers.push_back(std::ldexp(1.0 + i, -1021));
    for (double& number : numbers)
      number = std::fabs(number) < std::numeric_limits<double>::min() ? 0 : std::fabs(number);
    std::vector<std::int64_t> limbs(ExactSum::limbs * workers);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numerics::add_to_limbs(numbers[i], limbs.data() + i % workers, workers);
    ExactSum here, there;
    for (std::int64_t worker = 0; worker < workers; ++worker)
      numerics::settle_limbs(limbs.data() + worker, workers);
    for (std::size_t limb = 0; limb < limbs.size(); ++limb)
      there.integers()[limb / workers] += limbs[limb];
    there.settle();
    // One by one: of many, one that is too large hides the others.
    for (double number : numbers) here.add(&number, 1);
    here.settle();
    EXPECT_EQ(there.integers(), here.integers()) << lowest << " to " << highest;
  }
}

}  // namespace

TEST(ExactSum, IsTheNearestDouble) {
  unsigned seed = 0;
  for (const auto& [lowest, highest] :
       {std::pair(0, 0), {-3, 3}, {-60, 0}, {-300, 300}, {700, 900}})
    for (const std::size_t count : {1, 2, 3, 7, 8, 9, 100, 4096, 4097, 100'000}) {
      const Numbers numbers = random(count, lowest, highest, ++seed);
      EXPECT_EQ(sum(numbers), nearest(numbers)) << count << " of 2^" << lowest << " to " << highest;
    }
}

TEST(ExactSum, IsTheNearestDoubleOfEitherSign) {
  std::mt19937_64 signs(11);
  unsigned seed = 0;
  for (const auto& [lowest, highest] : {std::pair(0, 0), {-60, 0}, {-300, 300}})
    for (const std::size_t count : {1, 2, 3, 8, 100, 4097, 20'000})
      for (const int most_are_negative : {0, 1}) {
        Numbers numbers = random(count, lowest, highest, ++seed);
        for (double& number : numbers)
          if (static_cast<int>(signs() % 4) < 1 + 2 * most_are_negative) number = -number;
        // Nearly all of it goes away again.
        if (seed % 3 == 0)
          for (std::size_t i = 0; i + 1 < count; i += 2) numbers[i + 1] = -numbers[i];
        EXPECT_EQ(sum(numbers), nearest(numbers)) << count << " of 2^" << lowest << ", " << seed;
      }
  EXPECT_EQ(sum({-1, 1}), 0);
  EXPECT_FALSE(std::signbit(sum({-1, 1})));
  EXPECT_EQ(sum({1e200, -1e-200, -1e200}), -1e-200);
}

TEST(ExactSum, JoinsPartsOfEitherSign) {
  Numbers numbers = random(9000, -40, 40, 77);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (i % 3000 < 2000) numbers[i] = -numbers[i];
  const double whole = sum(numbers);
  ExactSum joined, integers;
  for (std::ptrdiff_t at = 0; at < 9000; at += 1000) {
    ExactSum part;
    Numbers some(numbers.begin() + at, numbers.begin() + at + 1000);
    part.add(some.data(), 1000);
    joined += part;
    part.settle();
    for (std::size_t j = 0; j < ExactSum::limbs; ++j) integers.integers()[j] += part.integers()[j];
  }
  EXPECT_EQ(joined.value(), whole);
  EXPECT_EQ(integers.value(), whole);
  EXPECT_LT(whole, 0);
}

TEST(ExactSum, RoundsTiesToEvenAndWhatIsBeyondDecides) {
  const double unit = std::ldexp(1.0, -52);
  EXPECT_EQ(sum({1, unit / 2}), 1);
  EXPECT_EQ(sum({1 + unit, unit / 2}), 1 + 2 * unit);
  EXPECT_EQ(sum({1, unit / 2, std::ldexp(1.0, -900)}), 1 + unit);
  EXPECT_EQ(sum({1, unit / 4, unit / 4}), 1);
}

TEST(ExactSum, OfNothingAndOfZerosIsZero) {
  EXPECT_EQ(ExactSum().value(), 0);
  EXPECT_EQ(sum({}), 0);
  EXPECT_EQ(sum({0, 0, 0}), 0);
}

TEST(ExactSum, DoesNotDependOnOrderOrParts) {
  std::mt19937_64 generator(5);
  for (int round = 0; round < 50; ++round) {
    Numbers numbers = random(20'000, -200 + 4 * round, 10, 100 + static_cast<unsigned>(round));
    const double whole = sum(numbers);
    std::shuffle(numbers.begin(), numbers.end(), generator);
    // Parts of any size, joined in any order.
    std::vector<ExactSum> parts(1 + round % 7);
    for (std::size_t at = 0; at < numbers.size();) {
      const std::size_t size = std::min<std::size_t>(generator() % 5000, numbers.size() - at);
      parts[generator() % parts.size()].add(numbers.data() + at, static_cast<std::ptrdiff_t>(size));
      at += size;
    }
    ExactSum joined;
    for (const ExactSum& part : parts) joined += part;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(joined.value()), std::bit_cast<std::uint64_t>(whole));
  }
}

TEST(ExactSum, IsTheSumOfItsIntegers) {
  Numbers numbers = random(30'000, -100, 0, 9);
  const double whole = sum(numbers);
  ExactSum first, second;
  first.add(numbers.data(), 10'000);
  second.add(numbers.data() + 10'000, 20'000);
  first.settle();
  second.settle();
  for (std::size_t j = 0; j < ExactSum::limbs; ++j) first.integers()[j] += second.integers()[j];
  EXPECT_EQ(first.value(), whole);
}

TEST(ExactSum, HoldsAsManyAsThereAre) {
  ExactSum sum;
  for (int i = 0; i < 3000; ++i) {
    Numbers ones(4096, 1.0);
    sum.add(ones.data(), std::ssize(ones));
  }
  EXPECT_EQ(sum.value(), 3000 * 4096.0);
}

TEST(ExactSum, SaysWhereThereIsNoSum) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(sum({1, infinity}), infinity);
  EXPECT_EQ(sum({1, 2, 3, std::nan("")}), infinity);
  EXPECT_EQ(sum({1e300}), infinity);
  EXPECT_EQ(sum({-1e300, 1}), infinity);
  EXPECT_EQ(sum(Numbers(20, std::nan(""))), infinity);
}

TEST(ExactSum, IsTheSameWithoutDenormals) {
  Numbers numbers = random(5000, -1060, -950, 3);
  const double with = sum(numbers);
  const NoDenormals flush;
  for (double& number : numbers)
    if (number < std::numeric_limits<double>::min()) number = 0;
  EXPECT_NEAR(sum(numbers), with, 5000 * 0x1p-1020);
}
