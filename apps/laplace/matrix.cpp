#include "matrix.hpp"

#include <formats/market.hpp>

#include <halocline/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace laplace {

using formats::Entry, formats::Lines, formats::MarketHeader, formats::Symmetry;
using halocline::Error;

namespace {

std::string size_of(const MarketHeader& header) {
  return "is " + std::to_string(header.rows) + " x " + std::to_string(header.columns);
}

Matrix matrix_of(Lines& lines) {
  const MarketHeader header = read_market_header(lines, {.array = false, .pattern = false});
  if (header.rows != header.columns || header.rows < 1)
    lines.refuse(size_of(header) + ", but must be square");
  // Before memory is taken for so many.
  if (header.entries < header.rows)
    lines.refuse("says that there are " + std::to_string(header.entries) + " entries in " +
                 std::to_string(header.rows) +
                 " rows; each must have one on the diagonal, by which Jacobi's method divides");
  std::vector<Entry> entries = read_entries(lines, header);
  if (header.symmetry != Symmetry::general) {
    const std::size_t given = entries.size();
    for (std::size_t i = 0; i < given; ++i) {
      const Entry entry = entries[i];
      if (entry.row != entry.column)
        entries.push_back({entry.column, entry.row, mirrored(entry.value, header.symmetry)});
    }
  }
  formats::Rows rows = formats::by_rows(std::move(entries), 0, header.rows);
  return {header.rows, std::move(rows.begin), std::move(rows.columns), std::move(rows.values)};
}

void check_diagonal(const Matrix& matrix, const std::string& file) {
  for (std::size_t row = 0; row < static_cast<std::size_t>(matrix.rows); ++row) {
    bool found = false;
    for (std::int64_t e = matrix.begin[row]; e < matrix.begin[row + 1]; ++e)
      found =
          found || (matrix.columns[static_cast<std::size_t>(e)] == static_cast<std::int64_t>(row) &&
                    matrix.values[static_cast<std::size_t>(e)] != 0);
    if (!found)
      throw Error(file + ": row " + std::to_string(row + 1) +
                  " has a zero on the diagonal, by which Jacobi's method divides");
  }
}

}  // namespace

Matrix read_matrix(const std::string& file) {
  Lines lines(file);
  Matrix matrix = matrix_of(lines);
  check_diagonal(matrix, file);
  return matrix;
}

std::vector<double> read_vector(const std::string& file, std::int64_t rows) {
  Lines lines(file);
  const MarketHeader header = read_market_header(lines, {});
  if (header.symmetry != Symmetry::general) lines.refuse("is not general, as a vector must be");
  if (header.rows != rows || header.columns != 1)
    lines.refuse(size_of(header) + ", but must be " + std::to_string(rows) +
                 " x 1, as the matrix has so many rows");
  if (header.dense) return read_numbers(lines, header);
  std::vector<double> all(static_cast<std::size_t>(rows), 0.0);
  for (const Entry& entry : read_entries(lines, header))
    all[static_cast<std::size_t>(entry.row)] += entry.value;
  return all;
}

std::vector<double> row_sums(const Matrix& matrix) {
  std::vector<double> sums;
  for (std::size_t row = 0; row < static_cast<std::size_t>(matrix.rows); ++row)
    sums.push_back(std::accumulate(matrix.values.begin() + matrix.begin[row],
                                   matrix.values.begin() + matrix.begin[row + 1], 0.0));
  return sums;
}

SpectralRadius spectral_radius(const Matrix& matrix) {
  const auto rows = static_cast<std::size_t>(matrix.rows);
  std::vector<double> x(rows, 1.0), y(rows);
  SpectralRadius radius;
  radius.low = 0;
  radius.high = std::numeric_limits<double>::infinity();
  for (int step = 0; step < 2000; ++step) {
    double low = radius.high, high = 0, before = 0, after = 0;
    low = std::numeric_limits<double>::infinity();
    for (std::size_t row = 0; row < rows; ++row) {
      double sum = 0, diagonal = 1;
      for (auto e = static_cast<std::size_t>(matrix.begin[row]);
           e < static_cast<std::size_t>(matrix.begin[row + 1]); ++e) {
        const auto column = static_cast<std::size_t>(matrix.columns[e]);
        if (column == row)
          diagonal = std::abs(matrix.values[e]);
        else
          sum += std::abs(matrix.values[e]) * x[column];
      }
      y[row] = sum / diagonal;
      low = std::min(low, y[row] / x[row]);
      high = std::max(high, y[row] / x[row]);
      before += x[row];
      after += y[row];
    }
    // Both hold for every positive x, so that the best of all steps does.
    radius.low = std::max(radius.low, low);
    radius.high = std::min(radius.high, high);
    radius.estimate = std::clamp(after / before, radius.low, radius.high);
    if (radius.high < 1 || radius.low >= 1 || radius.high - radius.low < 1e-9 * radius.high) break;
    // With half of x itself, the iteration also settles where |M| would turn x over and over. What
    // vanishes is kept above 0 for the bounds.
    double most = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      y[row] = (x[row] + y[row]) / 2;
      most = std::max(most, y[row]);
    }
    for (std::size_t row = 0; row < rows; ++row) x[row] = std::max(y[row] / most, 1e-200);
  }
  return radius;
}

}  // namespace laplace
