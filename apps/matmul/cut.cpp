#include "cut.hpp"

#include <halocline/grid.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

namespace matmul {

using halocline::part_of;

namespace {

/// Words of the rank at (0, 0, l), which has the largest blocks of its layer.
std::int64_t words_of_layer(const Shape& shape, const Cut& cut, int l) {
  const std::int64_t rows = part_of(shape.m, cut.m, 0).size();
  const std::int64_t columns = part_of(shape.n, cut.n, 0).size();
  const std::int64_t depth = part_of(shape.k, cut.k, l).size();
  return rows * part_of(depth, cut.n, 0).size() * (cut.n - 1) +
         part_of(depth, cut.m, 0).size() * columns * (cut.m - 1) +
         (rows - part_of(rows, cut.k, l).size()) * columns;
}

}  // namespace

std::int64_t words(const Shape& shape, const Cut& cut) {
  // Later layers are less deep, but own less of the sum and send more of it: it grows once.
  const std::int64_t rows = part_of(shape.m, cut.m, 0).size();
  return std::max(words_of_layer(shape, cut, 0),
                  words_of_layer(shape, cut, static_cast<int>(rows % cut.k)));
}

double most_multiplications(const Shape& shape, const Cut& cut) {
  return Shape{part_of(shape.m, cut.m, 0).size(), part_of(shape.n, cut.n, 0).size(),
               part_of(shape.k, cut.k, 0).size()}
      .multiplications();
}

double least_words(const Shape& shape, int ranks) {
  std::array<double, 3> side{static_cast<double>(shape.m), static_cast<double>(shape.n),
                             static_cast<double>(shape.k)};
  std::sort(side.begin(), side.end());
  const auto [k, n, m] = side;
  const double p = ranks;
  const double touched = p <= m / n           ? n * k + m * (n + k) / p
                         : p <= m * n / k / k ? 2 * std::sqrt(m * n * k * k / p) + m * n / p
                                              : 3 * std::pow(m * n * k / p, 2.0 / 3);
  return std::max(0.0, touched - (m * n + m * k + n * k) / p);
}

std::vector<Cut> cuts(const Shape& shape, int ranks, bool layers) {
  const auto parts = [](std::int64_t cells, int most) {
    return static_cast<int>(std::min<std::int64_t>(cells, most));
  };
  std::vector<Cut> found;
  for (int m = 1; m <= parts(shape.m, ranks); ++m)
    for (int n = 1; n <= parts(shape.n, ranks / m); ++n)
      for (int k = 1; k <= parts(shape.k, layers ? ranks / (m * n) : 1); ++k)
        found.push_back({m, n, k});
  return found;
}

Cut best_cut(const Shape& shape, const std::vector<Cut>& among) {
  double even = std::numeric_limits<double>::infinity();
  for (const Cut& cut : among) even = std::min(even, most_multiplications(shape, cut));
  const auto cost = [&](const Cut& cut) {
    const double work = most_multiplications(shape, cut);
    return std::tuple(work > 1.1 * even, words(shape, cut), work, cut.k, -cut.m);
  };
  return *std::ranges::min_element(among, {}, cost);
}

}  // namespace matmul
