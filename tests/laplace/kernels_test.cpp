// The kernels alone: any number of sweeps and threads, and any box with halos, gives the plain
// loops' bits.

#include "reference.hpp"

#include "common/its_turn.hpp"

#include <residual.hpp>
#include <sweeps.hpp>

#include <gtest/gtest.h>
#include <bit>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace laplace;

namespace {

using Sizes = std::array<std::ptrdiff_t, 3>;

/// The first so many of always the same random numbers.
std::span<const double> random_numbers(std::size_t count) {
  static std::vector<double> numbers;
  static std::mt19937_64 generator(7);
  while (numbers.size() < count)
    numbers.push_back(std::uniform_real_distribution<double>(-1, 1)(generator));
  return std::span(numbers).first(count);
}

/// A box of random points within halos of `depth`, in rows as a Domain has them, and the plain
/// loops to compare with.
class Points {
 public:
  Points(Sizes size, int depth) : size_(size), depth_(depth) {
    before_ = (depth + 7) / 8 * 8;
    row_ = before_ + (size[2] + depth + 7) / 8 * 8;
    plane_ = (size[1] + 2 * depth) * row_;
    const std::span<const double> random =
        random_numbers(static_cast<std::size_t>(16 + (size[0] + 2 * depth) * plane_));
    values.assign(random.begin(), random.end());
  }

  Box box() {
    return {values.data() + 8 + before_ + depth_ * (plane_ + row_), plane_, row_, size_};
  }
  double& at(std::ptrdiff_t k, std::ptrdiff_t j, std::ptrdiff_t i) { return box().at(k, j)[i]; }

  /// Each sweep goes less far than the one before where the box continues, the last one nowhere
  /// beyond it.
  void plain_sweeps(int count, const Continues& continues) {
    Points next = *this;
    for (int reach = count; reach-- > 0; std::swap(values, next.values)) {
      const auto more = [&](std::size_t axis, std::size_t side) {
        return continues[axis][side] ? reach : 0;
      };
      const Box from = box(), to = next.box();
      for (std::ptrdiff_t k = -more(0, 0); k < size_[0] + more(0, 1); ++k)
        for (std::ptrdiff_t j = -more(1, 0); j < size_[1] + more(1, 1); ++j) {
          const double *const row = from.at(k, j), *const north = from.at(k, j - 1),
                              *const south = from.at(k, j + 1), *const above = from.at(k - 1, j),
                              *const below = from.at(k + 1, j);
          double* const out = to.at(k, j);
          for (std::ptrdiff_t i = -more(2, 0); i < size_[2] + more(2, 1); ++i)
            out[i] = (((row[i - 1] + row[i + 1]) + (north[i] + south[i])) + (above[i] + below[i])) *
                     (1.0 / 6);
        }
    }
  }

  /// Everything between the box and the edge of the array, where the box does not continue.
  bool same(Points& other, const Continues& continues) {
    const auto edge = [&](std::size_t axis, std::size_t side) {
      return continues[axis][side] ? 0 : depth_;
    };
    for (std::ptrdiff_t k = -edge(0, 0); k < size_[0] + edge(0, 1); ++k)
      for (std::ptrdiff_t j = -edge(1, 0); j < size_[1] + edge(1, 1); ++j)
        for (std::ptrdiff_t i = -edge(2, 0); i < size_[2] + edge(2, 1); ++i)
          if (std::bit_cast<std::uint64_t>(at(k, j, i)) !=
              std::bit_cast<std::uint64_t>(other.at(k, j, i)))
            return false;
    return true;
  }

  std::vector<double> values;

 private:
  Sizes size_;
  int depth_;
  std::ptrdiff_t before_ = 0, row_ = 0, plane_ = 0;
};

void check(Sizes size, int count, int threads, const Continues& continues) {
  SCOPED_TRACE(std::to_string(size[0]) + " x " + std::to_string(size[1]) + " x " +
               std::to_string(size[2]) + ", " + std::to_string(count) + " sweeps, " +
               std::to_string(threads) + " threads");
  static Workspace workspace;
  Points from(size, count), plain = from;
  Points to = from;
  // What is swept, the array that is written first has to find out.
  for (std::ptrdiff_t k = 0; k < size[0]; ++k)
    for (std::ptrdiff_t j = 0; j < size[1]; ++j)
      for (std::ptrdiff_t i = 0; i < size[2]; ++i) to.at(k, j, i) = 1e10;
  sweep({from.box(), to.box(), count, continues}, threads, workspace);
  plain.plain_sweeps(count, continues);
  EXPECT_TRUE(plain.same(count % 2 == 0 ? from : to, continues));
}

/// Several where a configuration's turn has come: threads that outnumber the cores are slow.
int threads(unsigned turn) {
  return turn % 11 == 0 ? 2 + static_cast<int>(turn % 3) : 1;
}

Continues sides(unsigned bits) {
  Continues continues{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t side = 0; side < 2; ++side)
      continues[axis][side] = bits >> (2 * axis + side) & 1;
  return continues;
}

std::uint64_t bits(const numerics::ExactSum& sum) {
  return std::bit_cast<std::uint64_t>(sum.value());
}

}  // namespace

TEST(Sweeps, AreThePlainLoops) {
  unsigned turn = 0;
  for (std::ptrdiff_t planes : {1, 2, 5, 17})
    for (std::ptrdiff_t rows : {1, 3, 8, 29})
      for (std::ptrdiff_t points : {1, 2, 7, 8, 9, 31, 64, 65})
        for (int count : {1, 2, 3, 8, 9, 21})
          if (its_turn(++turn)) check({planes, rows, points}, count, threads(turn), sides(0));
}

TEST(Sweeps, WithHalosOnAnySides) {
  unsigned turn = 0;
  for (unsigned which = 0; which < 64; ++which)
    for (const Sizes& size : {Sizes{1, 1, 1}, Sizes{3, 12, 21}, Sizes{9, 5, 40}, Sizes{12, 33, 3}})
      for (int count : {1, 2, 5, 8, 11})
        if (its_turn(++turn)) check(size, count, threads(turn), sides(which));
}

TEST(Sweeps, InManyTilesAndSlabs) {
  unsigned turn = 0;
  for (int threads : {1, 2, 3}) {
    if (its_turn(++turn)) check({90, 70, 50}, 40, threads, sides(0));
    if (its_turn(++turn)) check({200, 40, 33}, 8, threads, sides(21));
    if (its_turn(++turn)) check({3, 60, 4100}, 16, threads, sides(63));
  }
}

TEST(Sweeps, TakeDenormalsForZero) {
  // Along a thin column the solution falls below what a double holds in full.
  Points from({600, 1, 1}, 1), to = from;
  for (double& value : from.values) value = 0;
  from.at(-1, 0, 0) = 1;
  to = from;
  Points plain = from, careless = from;
  Workspace workspace;
  for (int s = 0; s < 700; s += 10) sweep({from.box(), to.box(), 10, {}}, 1, workspace);
  {
    const numerics::NoDenormals flush;
    plain.plain_sweeps(700, {});
  }
  careless.plain_sweeps(700, {});
  EXPECT_TRUE(plain.same(from, {}));
  EXPECT_FALSE(careless.same(from, {}));
}

TEST(Sweeps, WakeOnlyThreadsWithWork) {
  EXPECT_EQ(worthwhile({.size = {20, 20, 20}}, 8), 1);
  EXPECT_EQ(worthwhile({.size = {50, 50, 50}}, 2), 2);
}

TEST(Residual, IsTheSameForAllPartsAndThreads) {
  Points points({23, 17, 41}, 1);
  const Box whole = points.box();
  const auto right = bits(squared_residual(whole, 1));
  for (int threads : {2, 3, 8}) EXPECT_EQ(bits(squared_residual(whole, threads)), right);
  for (std::ptrdiff_t k : {1, 7, 22})
    for (std::ptrdiff_t j : {1, 8, 16})
      for (std::ptrdiff_t i : {1, 13, 40}) {
        numerics::ExactSum sum;
        for (int part = 0; part < 8; ++part) {
          const auto [kk, jj, ii] = Sizes{part & 4 ? k : 0, part & 2 ? j : 0, part & 1 ? i : 0};
          Box box = whole;
          box.data = whole.at(kk, jj) + ii;
          box.size = {part & 4 ? 23 - k : k, part & 2 ? 17 - j : j, part & 1 ? 41 - i : i};
          sum += squared_residual(box, 1 + part % 2);
        }
        EXPECT_EQ(bits(sum), right);
      }
}

TEST(Residual, IsThatOfTheMatrix) {
  // 6 u less the neighbours inside, against what the surface contributes, in another arithmetic.
  Points points({5, 4, 3}, 1);
  long double squares = 0;
  for (std::ptrdiff_t k = 0; k < 5; ++k)
    for (std::ptrdiff_t j = 0; j < 4; ++j)
      for (std::ptrdiff_t i = 0; i < 3; ++i) {
        long double a_u = 6 * static_cast<long double>(points.at(k, j, i)), b = 0;
        for (const auto& [dk, dj, di] :
             {Sizes{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}}) {
          const std::ptrdiff_t kk = k + dk, jj = j + dj, ii = i + di;
          const bool inside = kk >= 0 && kk < 5 && jj >= 0 && jj < 4 && ii >= 0 && ii < 3;
          (inside ? a_u : b) += (inside ? -1 : 1) * static_cast<long double>(points.at(kk, jj, ii));
        }
        squares += (b - a_u) * (b - a_u);
      }
  EXPECT_NEAR(squared_residual(points.box(), 1).value() / static_cast<double>(squares), 1, 1e-14);
}
