#pragma once
// A text file line by line, and errors that name the line.

#include "../physics/particle.hpp"

#include <frame/values.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace md {

class Lines {
 public:
  explicit Lines(const std::string& file) : file_(file), in_(file, std::ios::binary) {
    in_.peek();  // a folder can be opened, too
    if (!in_.is_open() || in_.bad())
      throw halocline::Error("--input " + file + ": " + std::strerror(errno));
  }

  /// False at the end of the file.
  bool next() {
    if (!std::getline(in_, text_)) return false;
    if (text_.ends_with('\r')) text_.pop_back();
    ++number_;
    if (text_.find('\0') != text_.npos) fail("is not text");
    words_.clear();
    for (std::size_t at = 0; (at = text_.find_first_not_of(" \t", at)) != text_.npos;) {
      const std::size_t end = std::min(text_.find_first_of(" \t", at), text_.size());
      words_.push_back(std::string_view(text_).substr(at, end - at));
      at = end;
    }
    return true;
  }

  const std::string& file() const noexcept { return file_; }
  const std::string& text() const noexcept { return text_; }
  const std::vector<std::string_view>& words() const noexcept { return words_; }
  std::int64_t number() const noexcept { return number_; }

  /// A word of this line as a number, finite if it is real.
  template <class Number>
  Number as(std::size_t word, const char* what) const {
    if (word >= words_.size()) fail(std::string("has no ") + what);
    const auto value = frame::number<Number>(words_[word]);
    if (!value || !std::isfinite(static_cast<double>(*value)))
      fail(std::string(words_[word]) + " is no " + what);
    return *value;
  }
  /// Three words from this one on.
  Vector vector(std::size_t word, const char* what) const {
    return {as<double>(word, what), as<double>(word + 1, what), as<double>(word + 2, what)};
  }

  [[noreturn]] void fail(const std::string& what) const { fail_at(number_, what); }
  [[noreturn]] void fail_at(std::int64_t line, const std::string& what) const {
    throw halocline::Error("--input " + file_ + ":" + std::to_string(line) + ": " + what);
  }

 private:
  std::string file_, text_;
  std::vector<std::string_view> words_;
  std::ifstream in_;
  std::int64_t number_ = 0;
};

}  // namespace md
