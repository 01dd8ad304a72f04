#include "matrix_market.hpp"

#include <cctype>
#include <charconv>
#include <cmath>

namespace numerics::market {

namespace {

bool blank(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\r';
}

}  // namespace

bool Lines::any() {
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  line_ = rest_.substr(0, end);
  rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
  ++number_;
  skip_blanks();
  return true;
}

bool Lines::next() {
  while (any())
    if (!line_.empty() && line_.front() != '%') return true;
  return false;
}

void Lines::next(const char* expected) {
  if (next()) return;
  ++number_;
  fail(std::string("ends where ") + expected + " should be");
}

void Lines::skip_blanks() noexcept {
  while (!line_.empty() && blank(line_.front())) line_.remove_prefix(1);
}

template <class Number>
Number Lines::take(const char* what) {
  skip_blanks();
  if (!line_.empty() && line_.front() == '+') line_.remove_prefix(1);
  Number value{};
  const auto [rest, problem] = std::from_chars(line_.data(), line_.data() + line_.size(), value);
  const auto length = static_cast<std::size_t>(rest - line_.data());
  if (problem != std::errc() || (length < line_.size() && !blank(line_[length])))
    fail(std::string("has no ") + what);
  line_.remove_prefix(length);
  return value;
}

std::int64_t Lines::integer(const char* what) {
  return take<std::int64_t>(what);
}

double Lines::real(const char* what) {
  const auto value = take<double>(what);
  if (!std::isfinite(value)) fail("is not a finite number");
  return value;
}

std::string Lines::word() {
  skip_blanks();
  std::string word;
  for (; !line_.empty() && !blank(line_.front()); line_.remove_prefix(1))
    word += static_cast<char>(std::tolower(static_cast<unsigned char>(line_.front())));
  return word;
}

void Lines::end_of_line() const {
  for (const char letter : line_)
    if (!blank(letter)) fail("has more than there should be on a line");
}

Header read_banner(Lines& lines) {
  if (!lines.any()) lines.fail("the file is empty");
  const bool market = lines.word() == "%%matrixmarket";
  if (!market || lines.word() != "matrix")
    lines.fail("does not begin with '%%MatrixMarket matrix'");
  const std::string layout = lines.word(), field = lines.word(), symmetry = lines.word();
  Header header;
  header.dense = layout == "array";
  if (!header.dense && layout != "coordinate")
    lines.fail("is '" + layout + "', but must be array or coordinate");
  header.ones = field == "pattern" && !header.dense;
  if (!header.ones && field != "real" && field != "integer" && field != "double")
    lines.fail("has '" + field + "' values, but must have real or integer ones");
  if (symmetry == "symmetric")
    header.symmetry = Symmetry::symmetric;
  else if (symmetry == "skew-symmetric")
    header.symmetry = Symmetry::skew;
  else if (symmetry != "general")
    lines.fail("is '" + symmetry + "', but must be general, symmetric or skew-symmetric");
  return header;
}

void read_size(Lines& lines, Header& header) {
  lines.next("the size");
  header.rows = lines.integer("number of rows");
  header.columns = lines.integer("number of columns");
  header.entries = header.dense ? header.rows * header.columns : lines.integer("number of entries");
  lines.end_of_line();
  if (header.rows < 0 || header.columns < 0 || header.entries < 0)
    lines.fail("has a negative number of rows, columns or entries");
}

Entry read_entry(Lines& lines, const Header& header) {
  Entry entry{};
  entry.row = lines.integer("row") - 1;
  entry.column = lines.integer("column") - 1;
  entry.value = header.ones ? 1 : lines.real("value");
  lines.end_of_line();
  if (entry.row < 0 || entry.row >= header.rows || entry.column < 0 ||
      entry.column >= header.columns)
    lines.fail("is outside of " + std::to_string(header.rows) + " x " +
               std::to_string(header.columns));
  return entry;
}

}  // namespace numerics::market
