#pragma once
// Matrix Market's exchange format (R. F. Boisvert, R. Pozo, K. A. Remington, "The Matrix Market
// Exchange Formats", NISTIR 5935, 1996), as it is written: comments, empty lines and blanks are
// where programs put them. What is wrong throws halocline::Error with file and line, see Lines.

#include "lines.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace formats {

enum class Symmetry { general, symmetric, skew };

/// What a file says of its matrix before the numbers.
struct MarketHeader {
  bool dense = false;    ///< "array": all numbers, column after column; else "coordinate"
  bool pattern = false;  ///< entries without values
  bool whole = false;    ///< values are whole numbers
  bool complex = false;  ///< values are two numbers
  Symmetry symmetry = Symmetry::general;
  std::int64_t rows = 0, columns = 0;
  std::int64_t entries = 0;  ///< that the file has; of a dense one numbers
};

/// Whether the text is such a file, or is meant to be one.
bool is_market(const Lines& at_the_beginning);

/// What a reader can use; anything else is refused.
struct Usable {
  bool array = true, coordinate = true;
  bool pattern = true;
  bool complex = false;
};

/// Reads to the line with the size, the last one before the numbers.
MarketHeader read_market_header(Lines& lines, const Usable& usable);

/// On to the next line with anything on it but a comment; false at the end.
bool next_of_market(Lines& lines);

struct Entry {
  std::int64_t row, column;  ///< from 0
  double value;              ///< of a complex one the real part
};

/// The first lines with an entry below the diagonal and above it. A symmetric file has one of the
/// triangles and means both; entries in both would count twice.
struct Triangles {
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::int64_t below = none, above = none;
};

/// The entry on the current line of a coordinate file; notes where it is.
Entry read_entry(const Lines& lines, const MarketHeader& header, Triangles& triangles);
/// Throws if a symmetric file has entries in both.
void check(const Triangles& triangles, const MarketHeader& header, const Lines& lines);

/// The numbers on the current line of a dense file.
void read_numbers(const Lines& lines, const MarketHeader& header, std::vector<double>& numbers);

/// All that follows in a coordinate file.
std::vector<Entry> read_entries(Lines& lines, const MarketHeader& header);
/// All that follows in a dense file.
std::vector<double> read_numbers(Lines& lines, const MarketHeader& header);

/// What a value is on the other side of the diagonal.
inline double mirrored(double value, Symmetry symmetry) noexcept {
  return symmetry == Symmetry::skew ? -value : value;
}

/// Entries by rows; the columns of a row ascend.
struct Rows {
  std::vector<std::int64_t> begin;  ///< of each row's entries, and their end
  std::vector<std::int64_t> columns;
  std::vector<double> values;
};

/// The rows from `first` on, of entries in them. Values of the same place are added in the order in
/// which they are given.
Rows by_rows(std::vector<Entry> entries, std::int64_t first, std::int64_t rows);

}  // namespace formats
