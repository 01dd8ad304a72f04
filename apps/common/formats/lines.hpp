#pragma once
// Text files line by line, and errors that name the line.

#include "number.hpp"

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace formats {

/// The lines of a text, and the words on them, which blanks and tabs part. A line ends with LF, CR
/// LF or CR, the last one also without; a byte order mark before the first one is no part of it.
/// What is wrong throws halocline::Error, "FILE:LINE: what is there and what would be right".
class Lines {
 public:
  /// A file, a piece at a time; `named` is what messages call it, such as "--input melt.xyz".
  /// Throws Error if it cannot be read.
  explicit Lines(const std::string& file, std::string named = {});
  /// A text that stays the caller's: what follows the first `before` lines of a file.
  Lines(std::string_view text, std::string named, std::int64_t before);
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  /// On to the next line; false at the end. Throws Error if it is no text.
  bool next();
  /// The line's number in the file, from 1; 0 before the first line.
  std::int64_t number() const noexcept { return number_; }
  /// Bytes from the beginning of the text to this line and to the next one.
  std::int64_t begin() const noexcept { return begin_; }
  std::int64_t end() const noexcept { return end_; }
  /// The text that follows, of a file its first 64 KiB or less.
  std::string_view ahead() const noexcept { return rest_; }

  /// The line without its end. Like its words it is there until the next one.
  std::string_view text() const noexcept { return line_; }
  const std::vector<std::string_view>& words() const noexcept { return words_; }
  /// A word of the line as a number; `what` it is, such as "row".
  template <class Number>
  Number as(std::size_t word, const char* what, Values values = Values::finite) const {
    if (word >= words_.size()) refuse(std::string("has no ") + what);
    const Reading<Number> reading = formats::number<Number>(words_[word], values);
    if (!reading) refuse(std::string(what) + " " + reading.why());
    return *reading;
  }
  /// Throws Error if the line has more words.
  void at_most(std::size_t words) const;

  [[noreturn]] void refuse(const std::string& what) const { refuse(number_, what); }
  [[noreturn]] void refuse(std::int64_t line, const std::string& what) const;
  /// After the last line: `expected` is missing.
  [[noreturn]] void end_of_file(const std::string& expected, const std::string& remark = {}) const;

 private:
  /// Appends more of the file to the rest; false at its end.
  bool fill();
  void open();
  void split();

  std::string named_;
  std::ifstream in_;
  std::string buffer_;
  std::string_view rest_, line_;
  std::vector<std::string_view> words_;
  std::int64_t number_ = 0, begin_ = 0, end_ = 0;
  bool whole_ = true, has_nul_ = false;
};

/// How many lines `next` finds in a text.
std::int64_t count_lines(std::string_view text);

}  // namespace formats
