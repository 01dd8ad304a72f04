#include "market.hpp"

#include "shown.hpp"

#include <halocline/error.hpp>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace formats {

namespace {

std::string in_lower_case(std::string_view word) {
  std::string lower(word);
  std::ranges::transform(lower, lower.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return lower;
}

std::string size_of(const MarketHeader& header) {
  return std::to_string(header.rows) + " x " + std::to_string(header.columns);
}

/// The numbers that a dense file has; none if they are too many to be counted.
std::int64_t numbers_of(const MarketHeader& header) {
  std::int64_t all = 0;
  if (__builtin_mul_overflow(header.rows, header.columns, &all)) return -1;
  if (header.symmetry == Symmetry::general) return all;
  const std::int64_t diagonal = header.symmetry == Symmetry::skew ? 0 : header.rows;
  return (all - header.rows) / 2 + diagonal;
}

void read_banner(Lines& lines, const Usable& usable, MarketHeader& header) {
  if (!lines.next()) lines.end_of_file("'%%MatrixMarket matrix'");
  const auto word = [&](std::size_t i) {
    return i < lines.words().size() ? in_lower_case(lines.words()[i]) : std::string();
  };
  if (word(0) != "%%matrixmarket" || word(1) != "matrix")
    lines.refuse("begins with " + quoted(lines.text(), 30) +
                 ", but must begin with '%%MatrixMarket matrix'");
  const std::string layout = word(2), numbers = word(3), symmetry = word(4);
  header.dense = layout == "array";
  if (!header.dense && layout != "coordinate")
    lines.refuse("is " + quoted(layout) + ", but must be array or coordinate");
  if (header.dense && !usable.array)
    lines.refuse("is 'array', but must be coordinate (a sparse matrix)");
  if (!header.dense && !usable.coordinate)
    lines.refuse("is 'coordinate', but must be array (a dense matrix)");
  header.pattern = numbers == "pattern" && !header.dense && usable.pattern;
  header.whole = numbers == "integer" || numbers == "unsigned-integer";
  header.complex = numbers == "complex" && usable.complex;
  if (!header.pattern && !header.whole && !header.complex && numbers != "real" &&
      numbers != "double")
    lines.refuse("has " + quoted(numbers) + " values, but must have real or integer ones");
  if (symmetry == "symmetric" || symmetry == "hermitian")
    header.symmetry = Symmetry::symmetric;
  else if (symmetry == "skew-symmetric")
    header.symmetry = Symmetry::skew;
  else if (symmetry != "general")
    lines.refuse("is " + quoted(symmetry) + ", but must be general, symmetric or skew-symmetric");
}

void read_size(Lines& lines, MarketHeader& header) {
  if (!next_of_market(lines)) lines.end_of_file("the size");
  header.rows = lines.as<std::int64_t>(0, "number of rows");
  header.columns = lines.as<std::int64_t>(1, "number of columns");
  if (!header.dense) header.entries = lines.as<std::int64_t>(2, "number of entries");
  lines.at_most(header.dense ? 2 : 3);
  if (header.rows < 0 || header.columns < 0 || header.entries < 0)
    lines.refuse("has a negative number of rows, columns or entries");
  if (header.symmetry != Symmetry::general && header.rows != header.columns)
    lines.refuse("is " + size_of(header) + ", but must be square to be symmetric");
  if (header.dense) header.entries = numbers_of(header);
  if (header.entries < 0) lines.refuse("is " + size_of(header) + ", which no file can hold");
}

double value_of(const Lines& lines, const MarketHeader& header, std::size_t word) {
  return header.whole ? static_cast<double>(lines.as<std::int64_t>(word, "value"))
                      : lines.as<double>(word, "value");
}

std::string counted(std::int64_t there, const MarketHeader& header) {
  return ": there are " + std::to_string(there) + " of " + std::to_string(header.entries);
}

}  // namespace

bool is_market(const Lines& lines) {
  const std::string begin = in_lower_case(lines.ahead().substr(0, 14));
  return begin == "%%matrixmarket" || begin.starts_with("%matrixmarket");
}

bool next_of_market(Lines& lines) {
  while (lines.next())
    if (!lines.words().empty() && !lines.words()[0].starts_with('%')) return true;
  return false;
}

MarketHeader read_market_header(Lines& lines, const Usable& usable) {
  MarketHeader header;
  read_banner(lines, usable, header);
  read_size(lines, header);
  return header;
}

Entry read_entry(const Lines& lines, const MarketHeader& header, Triangles& triangles) {
  Entry entry{};
  entry.row = lines.as<std::int64_t>(0, "row") - 1;
  entry.column = lines.as<std::int64_t>(1, "column") - 1;
  entry.value = header.pattern ? 1 : value_of(lines, header, 2);
  if (header.complex) lines.as<double>(3, "imaginary part");
  lines.at_most(header.pattern ? 2 : header.complex ? 4 : 3);
  if (entry.row < 0 || entry.row >= header.rows || entry.column < 0 ||
      entry.column >= header.columns)
    lines.refuse("is outside of " + size_of(header));
  if (entry.row > entry.column) triangles.below = std::min(triangles.below, lines.number());
  if (entry.row < entry.column) triangles.above = std::min(triangles.above, lines.number());
  if (entry.row == entry.column && header.symmetry == Symmetry::skew && entry.value != 0)
    lines.refuse("is on the diagonal, which must be 0 to be skew-symmetric");
  return entry;
}

void check(const Triangles& triangles, const MarketHeader& header, const Lines& lines) {
  if (header.symmetry == Symmetry::general || triangles.below == Triangles::none ||
      triangles.above == Triangles::none)
    return;
  const auto [first, second] = std::minmax(triangles.below, triangles.above);
  lines.refuse(second, "is on the other side of the diagonal than line " + std::to_string(first) +
                           "; a symmetric file must have one of the two triangles");
}

void read_numbers(const Lines& lines, const MarketHeader& header, std::vector<double>& numbers) {
  for (std::size_t i = 0; i < lines.words().size(); ++i)
    numbers.push_back(value_of(lines, header, i));
}

std::vector<Entry> read_entries(Lines& lines, const MarketHeader& header) {
  std::vector<Entry> entries;
  Triangles triangles;
  while (next_of_market(lines)) {
    entries.push_back(read_entry(lines, header, triangles));
    if (std::ssize(entries) > header.entries) lines.refuse("has more entries than it says");
  }
  if (std::ssize(entries) < header.entries)
    lines.end_of_file("an entry", counted(std::ssize(entries), header));
  check(triangles, header, lines);
  return entries;
}

std::vector<double> read_numbers(Lines& lines, const MarketHeader& header) {
  std::vector<double> numbers;
  while (next_of_market(lines)) {
    read_numbers(lines, header, numbers);
    if (std::ssize(numbers) > header.entries) lines.refuse("has more numbers than it says");
  }
  if (std::ssize(numbers) < header.entries)
    lines.end_of_file("a number", counted(std::ssize(numbers), header));
  return numbers;
}

Rows by_rows(std::vector<Entry> entries, std::int64_t first, std::int64_t rows) {
  std::ranges::stable_sort(entries, [](const Entry& a, const Entry& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  Rows made;
  made.begin.assign(static_cast<std::size_t>(rows) + 1, 0);
  const Entry* last = nullptr;
  for (const Entry& entry : entries) {
    if (last && last->row == entry.row && last->column == entry.column) {
      made.values.back() += entry.value;
    } else {
      made.columns.push_back(entry.column);
      made.values.push_back(entry.value);
      ++made.begin[static_cast<std::size_t>(entry.row - first) + 1];
    }
    last = &entry;
  }
  std::partial_sum(made.begin.begin(), made.begin.end(), made.begin.begin());
  return made;
}

}  // namespace formats
