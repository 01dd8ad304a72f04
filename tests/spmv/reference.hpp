#pragma once
// Random matrices, and their products added up plainly.

#include "matrix.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace reference {

inline std::vector<double> numbers(std::int64_t count, unsigned seed) {
  std::mt19937_64 dice(seed);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<double> all(static_cast<std::size_t>(count));
  for (double& one : all) one = any(dice);
  return all;
}

/// All rows of it; some are empty, some long, and columns keep to the diagonal or lie anywhere.
inline spmv::Matrix matrix(std::int64_t rows, std::int64_t columns, unsigned seed) {
  std::mt19937_64 dice(seed);
  const auto roll = [&](std::int64_t below) {
    return static_cast<std::int64_t>(dice() % static_cast<std::uint64_t>(below));
  };
  const std::int64_t usual = 1 + roll(6), width = 1 + roll(columns);
  spmv::Matrix all;
  all.rows = {0, rows};
  all.all_rows = rows;
  all.all_columns = columns;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::set<std::int64_t> places;
    const std::int64_t count = roll(10) == 0 ? roll(3 * usual) * roll(3) : roll(2 * usual);
    for (std::int64_t i = 0; i < count; ++i)
      places.insert(
          std::clamp<std::int64_t>(row * columns / rows + roll(2 * width) - width, 0, columns - 1));
    all.columns.insert(all.columns.end(), places.begin(), places.end());
    all.begin.push_back(std::ssize(all.columns));
  }
  all.values = numbers(std::ssize(all.columns), seed + 1);
  return all;
}

/// These rows of a whole one.
inline spmv::Matrix part(const spmv::Matrix& whole, spmv::Range rows) {
  spmv::Matrix some;
  some.rows = rows;
  some.all_rows = whole.all_rows;
  some.all_columns = whole.all_columns;
  const auto from = whole.begin[static_cast<std::size_t>(rows.begin)],
             to = whole.begin[static_cast<std::size_t>(rows.end)];
  some.columns.assign(whole.columns.begin() + from, whole.columns.begin() + to);
  some.values.assign(whole.values.begin() + from, whole.values.begin() + to);
  for (std::int64_t row = rows.begin; row < rows.end; ++row)
    some.begin.push_back(whole.begin[static_cast<std::size_t>(row) + 1] - from);
  return some;
}

inline std::vector<double> product(const spmv::Matrix& whole, const std::vector<double>& x) {
  std::vector<double> y;
  for (std::size_t row = 0; row + 1 < whole.begin.size(); ++row) {
    double sum = 0;
    for (auto e = static_cast<std::size_t>(whole.begin[row]);
         e < static_cast<std::size_t>(whole.begin[row + 1]); ++e)
      sum += whole.values[e] * x[static_cast<std::size_t>(whole.columns[e])];
    y.push_back(sum);
  }
  return y;
}

}  // namespace reference
