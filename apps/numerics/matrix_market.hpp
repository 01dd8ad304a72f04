#pragma once
// Text of the Matrix Market exchange format (R. F. Boisvert, R. Pozo, K. A. Remington, "The Matrix
// Market Exchange Formats", NISTIR 5935, 1996), checked as it is read, from any line on.

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace numerics::market {

/// What is wrong, and where.
class Problem : public std::runtime_error {
 public:
  Problem(std::int64_t line, const std::string& what) : std::runtime_error(what), line_(line) {}
  std::int64_t line() const noexcept { return line_; }
  /// "FILE, line 7: is outside of 3 x 3"; the text began with line `before` + 1 of the file.
  std::string in(const std::string& file, std::int64_t before = 0) const {
    return file + ", line " + std::to_string(before + line_) + ": " + what();
  }

 private:
  std::int64_t line_;
};

/// Some lines of a file, which stay the caller's. What is not as it should be throws Problem.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  /// On to the next line, whatever it is; false at the end of the text.
  bool any();
  /// On to the next line with anything on it but a comment.
  bool next();
  /// The same; at the end it is a problem that `expected` is missing.
  void next(const char* expected);
  /// The next number or word of the line.
  std::int64_t integer(const char* what);
  double real(const char* what);  ///< finite
  std::string word();             ///< in lower case
  void end_of_line() const;

  std::int64_t number() const noexcept { return number_; }  ///< of the line, from 1
  std::string_view rest() const noexcept { return rest_; }  ///< the lines that follow
  [[noreturn]] void fail(const std::string& what) const { throw Problem(number_, what); }

 private:
  void skip_blanks() noexcept;
  template <class Number>
  Number take(const char* what);

  std::string_view rest_, line_;
  std::int64_t number_ = 0;
};

enum class Symmetry { general, symmetric, skew };

/// What a file says of its numbers before them.
struct Header {
  bool dense = false;  ///< "array", and not "coordinate"
  bool ones = false;   ///< "pattern": entries without values
  Symmetry symmetry = Symmetry::general;
  std::int64_t rows = 0, columns = 0;
  std::int64_t entries = 0;  ///< that follow
};

/// The first line, which says all but the size. Numbers must be real, integer or left out.
Header read_banner(Lines& lines);
/// The line with the size.
void read_size(Lines& lines, Header& header);

struct Entry {
  std::int64_t row, column;  ///< from 0
  double value;
};

/// The entry on the current line of a coordinate file.
Entry read_entry(Lines& lines, const Header& header);

}  // namespace numerics::market
