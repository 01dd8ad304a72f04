#include "shown.hpp"

#include "text.hpp"

namespace halocline::base {

namespace {

/// Whether a character of UTF-8 is one of Unicode's control characters.
bool is_control(std::string_view character) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(character[at]); };
  return byte(0) < 0x20 || byte(0) == 0x7F || (byte(0) == 0xC2 && byte(1) < 0xA0);
}

}  // namespace

std::string shown(std::string_view text, std::size_t most) {
  const std::string valid = utf8(text);
  std::string all;
  for (std::size_t begin = 0, end = 0; begin < valid.size(); begin = end) {
    for (end = begin + 1; end < valid.size() && (valid[end] & 0xC0) == 0x80;) ++end;
    std::string_view one = std::string_view(valid).substr(begin, end - begin);
    if (is_control(one)) one = one == "\t" ? " " : "\xEF\xBF\xBD";
    if (all.size() + one.size() > most) return all + "...";
    all += one;
  }
  return all;
}

std::string quoted(std::string_view text, std::size_t most) {
  return std::string("'").append(shown(text, most)).append("'");
}

}  // namespace halocline::base
