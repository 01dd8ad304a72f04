#include "matrix.hpp"

#include <numerics/matrix_market.hpp>

#include <halocline/mpi.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <numeric>

namespace laplace {

using halocline::Error;
namespace market = numerics::market;
using market::Entry;

namespace {

/// All of a Matrix Market file, which must be there. What is wrong with it is named with its line.
template <class Read>
auto read_file(const std::string& file, Read&& read) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(file + ": " + std::strerror(errno));
  const std::string text(std::istreambuf_iterator<char>(in), {});
  market::Lines lines(text);
  try {
    return read(lines);
  } catch (const market::Problem& problem) {
    throw Error(problem.in(file));
  }
}

/// Nothing but comments may follow.
void end_of_file(market::Lines& in) {
  if (in.next()) in.fail("has more entries than it says");
}

std::vector<Entry> read_entries(market::Lines& in, const market::Header& header) {
  std::vector<Entry> entries;
  for (std::int64_t i = 0; i < header.entries; ++i) {
    in.next("an entry");
    entries.push_back(market::read_entry(in, header));
  }
  end_of_file(in);
  return entries;
}

/// Rows of a matrix from entries in any order.
Matrix compress(std::int64_t rows, std::vector<Entry>& entries) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  Matrix matrix;
  matrix.rows = rows;
  matrix.begin.assign(static_cast<std::size_t>(rows) + 1, 0);
  for (const Entry& entry : entries) {
    const auto row = static_cast<std::size_t>(entry.row);
    const bool again = matrix.begin[row + 1] > 0 && matrix.columns.back() == entry.column;
    if (again) {
      matrix.values.back() += entry.value;
    } else {
      matrix.columns.push_back(entry.column);
      matrix.values.push_back(entry.value);
      ++matrix.begin[row + 1];
    }
  }
  std::partial_sum(matrix.begin.begin(), matrix.begin.end(), matrix.begin.begin());
  return matrix;
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
  Matrix matrix = read_file(file, [](market::Lines& in) {
    market::Header header = market::read_banner(in);
    if (header.dense) in.fail("is 'array', but must be coordinate (a sparse matrix)");
    if (header.ones) in.fail("has 'pattern' values, but must have real or integer ones");
    market::read_size(in, header);
    if (header.rows != header.columns || header.rows < 1)
      in.fail("is " + std::to_string(header.rows) + " x " + std::to_string(header.columns) +
              ", but must be square");
    std::vector<Entry> entries = read_entries(in, header);
    if (header.symmetry != market::Symmetry::general) {
      const double sign = header.symmetry == market::Symmetry::skew ? -1 : 1;
      const std::size_t given = entries.size();
      for (std::size_t i = 0; i < given; ++i) {
        const Entry entry = entries[i];
        if (entry.row != entry.column)
          entries.push_back({entry.column, entry.row, sign * entry.value});
      }
    }
    return compress(header.rows, entries);
  });
  check_diagonal(matrix, file);
  return matrix;
}

std::vector<double> read_vector(const std::string& file, std::int64_t rows) {
  return read_file(file, [&](market::Lines& in) {
    market::Header header = market::read_banner(in);
    if (header.symmetry != market::Symmetry::general)
      in.fail("is not general, as a vector must be");
    market::read_size(in, header);
    if (header.rows != rows || header.columns != 1)
      in.fail("is " + std::to_string(header.rows) + " x " + std::to_string(header.columns) +
              ", but must be " + std::to_string(rows) + " x 1, as the matrix has so many rows");
    std::vector<double> all(static_cast<std::size_t>(rows), 0.0);
    if (!header.dense) {
      for (const Entry& entry : read_entries(in, header))
        all[static_cast<std::size_t>(entry.row)] += entry.value;
      return all;
    }
    for (double& value : all) {
      in.next("a value");
      value = in.real("value");
      in.end_of_line();
    }
    end_of_file(in);
    return all;
  });
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
