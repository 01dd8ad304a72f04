#include "matrix.hpp"

#include <halocline/mpi.hpp>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <numeric>
#include <sstream>

namespace laplace {

using halocline::Error;

namespace {

struct Entry {
  std::int64_t row, column;
  double value;
};

/// A Matrix Market file, line by line.
class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file), in_(file) {
    if (!in_) throw Error(file + ": " + std::strerror(errno));
    if (!std::getline(in_, line_)) fail("the file is empty");
    ++number_;
    std::istringstream words(line_);
    std::string banner, object;
    words >> banner >> object >> layout_ >> field_ >> symmetry_;
    for (std::string* word : {&object, &layout_, &field_, &symmetry_})
      std::transform(word->begin(), word->end(), word->begin(),
                     [](unsigned char letter) { return std::tolower(letter); });
    if (banner != "%%MatrixMarket" || object != "matrix")
      fail("does not begin with '%%MatrixMarket matrix'");
    if (field_ != "real" && field_ != "integer" && field_ != "double")
      fail("has '" + field_ + "' values, but must have real or integer ones");
  }

  const std::string& layout() const { return layout_; }
  const std::string& symmetry() const { return symmetry_; }

  /// The next line with anything on it but a comment.
  void next(const char* expected) {
    while (std::getline(in_, line_)) {
      ++number_;
      const std::size_t first = line_.find_first_not_of(" \t\r");
      if (first == line_.npos || line_[first] == '%') continue;
      at_ = line_.data() + first;
      return;
    }
    ++number_;
    fail(std::string("ends where ") + expected + " should be");
  }
  template <class Number>
  Number take(const char* what) {
    const char* const end = line_.data() + line_.size();
    while (at_ < end && (*at_ == ' ' || *at_ == '\t' || *at_ == '+')) ++at_;
    Number value{};
    const auto [rest, problem] = std::from_chars(at_, end, value);
    if (problem != std::errc()) fail(std::string("has no ") + what);
    at_ = rest;
    return value;
  }
  void end_of_line() {
    const char* const end = line_.data() + line_.size();
    while (at_ < end && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
    if (at_ != end) fail("has more than there should be on a line");
  }
  /// Nothing but comments may follow.
  void end_of_file() {
    while (std::getline(in_, line_)) {
      ++number_;
      const std::size_t first = line_.find_first_not_of(" \t\r");
      if (first != line_.npos && line_[first] != '%') fail("has more entries than it says");
    }
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(file_ + ", line " + std::to_string(number_) + ": " + what);
  }

 private:
  std::string file_;
  std::ifstream in_;
  std::string line_, layout_, field_, symmetry_;
  const char* at_ = nullptr;
  std::int64_t number_ = 0;
};

std::vector<Entry> read_entries(Reader& in, std::int64_t rows, std::int64_t columns,
                                std::int64_t count) {
  std::vector<Entry> entries;
  for (std::int64_t i = 0; i < count; ++i) {
    in.next("an entry");
    Entry entry{};
    entry.row = in.take<std::int64_t>("row") - 1;
    entry.column = in.take<std::int64_t>("column") - 1;
    entry.value = in.take<double>("value");
    in.end_of_line();
    if (entry.row < 0 || entry.row >= rows || entry.column < 0 || entry.column >= columns)
      in.fail("is outside of " + std::to_string(rows) + " x " + std::to_string(columns));
    if (!std::isfinite(entry.value)) in.fail("is not a finite number");
    entries.push_back(entry);
  }
  in.end_of_file();
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
  Reader in(file);
  if (in.layout() != "coordinate")
    in.fail("is '" + in.layout() + "', but must be coordinate (a sparse matrix)");
  const bool mirrored = in.symmetry() == "symmetric", turned = in.symmetry() == "skew-symmetric";
  if (!mirrored && !turned && in.symmetry() != "general")
    in.fail("is '" + in.symmetry() + "', but must be general, symmetric or skew-symmetric");
  in.next("the size");
  const auto rows = in.take<std::int64_t>("number of rows");
  const auto columns = in.take<std::int64_t>("number of columns");
  const auto count = in.take<std::int64_t>("number of entries");
  in.end_of_line();
  if (rows != columns || rows < 1)
    in.fail("is " + std::to_string(rows) + " x " + std::to_string(columns) +
            ", but must be square");
  if (count < 0) in.fail("has a negative number of entries");
  std::vector<Entry> entries = read_entries(in, rows, columns, count);
  if (mirrored || turned) {
    const std::size_t given = entries.size();
    for (std::size_t i = 0; i < given; ++i) {
      const Entry entry = entries[i];
      if (entry.row != entry.column)
        entries.push_back({entry.column, entry.row, turned ? -entry.value : entry.value});
    }
  }
  Matrix matrix = compress(rows, entries);
  check_diagonal(matrix, file);
  return matrix;
}

std::vector<double> read_vector(const std::string& file, std::int64_t rows) {
  Reader in(file);
  const bool dense = in.layout() == "array";
  if (!dense && in.layout() != "coordinate")
    in.fail("is '" + in.layout() + "', but must be array or coordinate");
  if (in.symmetry() != "general") in.fail("is '" + in.symmetry() + "', but must be general");
  in.next("the size");
  const auto found = in.take<std::int64_t>("number of rows");
  const auto columns = in.take<std::int64_t>("number of columns");
  const auto count = dense ? found : in.take<std::int64_t>("number of entries");
  in.end_of_line();
  if (found != rows || columns != 1)
    in.fail("is " + std::to_string(found) + " x " + std::to_string(columns) + ", but must be " +
            std::to_string(rows) + " x 1, as the matrix has so many rows");
  std::vector<double> all(static_cast<std::size_t>(rows), 0.0);
  if (!dense) {
    for (const Entry& entry : read_entries(in, rows, 1, count))
      all[static_cast<std::size_t>(entry.row)] += entry.value;
    return all;
  }
  for (double& value : all) {
    in.next("a value");
    value = in.take<double>("value");
    in.end_of_line();
    if (!std::isfinite(value)) in.fail("is not a finite number");
  }
  in.end_of_file();
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
