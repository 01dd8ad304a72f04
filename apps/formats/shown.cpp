#include "shown.hpp"

namespace formats {

namespace {

/// The bytes of the character that a text begins with; 0 if they are not UTF-8 or not to be shown.
std::size_t character(std::string_view text) {
  const auto at = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = at(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((at(i) & 0xc0) != 0x80) return 0;
  const unsigned second = at(1);
  const bool longer_than_needed =
      (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second >= 0xa0;
  const bool control = first == 0xc2 && second < 0xa0;
  const bool beyond = first == 0xf4 && second >= 0x90;
  return longer_than_needed || surrogate || control || beyond ? 0 : bytes;
}

}  // namespace

std::string shown(std::string_view text, std::size_t most) {
  std::string all;
  while (!text.empty()) {
    const std::size_t bytes = character(text);
    if (all.size() + bytes > most) return all + "...";
    all += bytes > 0 ? text.substr(0, bytes) : text.front() == '\t' ? " " : "\xef\xbf\xbd";
    text.remove_prefix(bytes > 0 ? bytes : 1);
  }
  return all;
}

std::string quoted(std::string_view text, std::size_t most) {
  return "'" + shown(text, most) + "'";
}

}  // namespace formats
