#include "lines.hpp"

#include "shown.hpp"

#include <halocline/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace formats {

using halocline::Error;

namespace {

bool blank(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\v' || letter == '\f';
}

constexpr std::string_view mark = "\xef\xbb\xbf";  // of the order of bytes

/// What a file is that begins so and is no text of ours.
const char* kind_of(std::string_view begin) {
  if (begin.starts_with("\x1f\x8b")) return "is compressed; gunzip unpacks it";
  if (begin.starts_with("BZh")) return "is compressed; bunzip2 unpacks it";
  if (begin.starts_with("\xfd"
                        "7zXZ"))
    return "is compressed; unxz unpacks it";
  if (begin.starts_with("PK\x03\x04")) return "is a zip archive; unzip unpacks it";
  if (begin.starts_with("\xff\xfe") || begin.starts_with("\xfe\xff"))
    return "is UTF-16; it must be UTF-8 or ASCII";
  return nullptr;
}

}  // namespace

Lines::Lines(const std::string& file, std::string named)
    : named_(named.empty() ? file : std::move(named)), in_(file, std::ios::binary), whole_(false) {
  in_.peek();  // a folder can be opened, too
  if (!in_.is_open() || in_.bad()) throw Error(named_ + ": " + std::strerror(errno));
  in_.clear();
  fill();
  open();
}

Lines::Lines(std::string_view text, std::string named, std::int64_t before)
    : named_(std::move(named)), rest_(text), number_(before) {
  has_nul_ = text.find('\0') != text.npos;
  if (before == 0) open();
}

void Lines::open() {
  if (const char* const kind = kind_of(rest_)) throw Error(named_ + ": " + kind);
  if (!rest_.starts_with(mark)) return;
  rest_.remove_prefix(mark.size());
  end_ += static_cast<std::int64_t>(mark.size());
}

bool Lines::fill() {
  // What is no text may have no lines, and no end.
  if (whole_ || has_nul_) return false;
  const std::size_t kept = rest_.size(), more = std::max(kept, std::size_t{1} << 16);
  buffer_.erase(0, buffer_.size() - kept);
  buffer_.resize(kept + more);
  in_.read(buffer_.data() + kept, static_cast<std::streamsize>(more));
  if (in_.bad()) throw Error(named_ + ": " + std::strerror(errno));
  buffer_.resize(kept + static_cast<std::size_t>(in_.gcount()));
  whole_ = in_.eof();
  rest_ = buffer_;
  has_nul_ = rest_.find('\0', kept) != rest_.npos;
  return rest_.size() > kept;
}

bool Lines::next() {
  std::size_t end = rest_.find('\n');
  while (end == rest_.npos && fill()) end = rest_.find('\n');
  if (rest_.empty()) {
    line_ = {};
    words_.clear();
    return false;
  }
  line_ = rest_.substr(0, end);
  std::size_t taken = std::min(line_.size() + 1, rest_.size());
  if (const std::size_t cr = line_.find('\r'); cr != line_.npos) {
    if (cr + 1 < line_.size()) taken = cr + 1;
    line_ = line_.substr(0, cr);
  }
  rest_.remove_prefix(taken);
  begin_ = end_;
  end_ += static_cast<std::int64_t>(taken);
  ++number_;
  if (has_nul_ && line_.find('\0') != line_.npos) refuse("is no text, as it has a byte of 0");
  split();
  return true;
}

void Lines::split() {
  words_.clear();
  for (const char *at = line_.begin(), *const end = line_.end();;) {
    at = std::find_if_not(at, end, blank);
    if (at == end) return;
    const char* const behind = std::find_if(at, end, blank);
    words_.emplace_back(at, behind);
    at = behind;
  }
}

void Lines::at_most(std::size_t words) const {
  if (words_.size() > words) refuse("has " + quoted(words_[words]) + ", which is too much");
}

void Lines::refuse(std::int64_t line, const std::string& what) const {
  throw Error(named_ + ":" + std::to_string(line) + ": " + what);
}

void Lines::end_of_file(const std::string& expected, const std::string& remark) const {
  refuse(number_ + 1, "ends where " + expected + " should be" + remark);
}

std::int64_t count_lines(std::string_view text) {
  if (text == mark) return 0;
  std::int64_t count = std::ranges::count(text, '\n');
  for (std::size_t cr = 0; (cr = text.find('\r', cr)) != text.npos; ++cr)
    if (cr + 1 < text.size() && text[cr + 1] != '\n') ++count;
  return count + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

}  // namespace formats
