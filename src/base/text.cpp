#include "text.hpp"

#include <locale.h>
#include <array>
#include <cstdarg>
#include <cstdint>
#include <cstdio>

namespace halocline::base {

namespace {

/// While it lives, this thread's C functions write and read numbers as programs do.
class ClassicLocale {
 public:
  ClassicLocale() : before_(uselocale(classic())) {}
  ~ClassicLocale() { uselocale(before_); }
  ClassicLocale(const ClassicLocale&) = delete;
  ClassicLocale& operator=(const ClassicLocale&) = delete;

 private:
  static locale_t classic() {
    static const locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);
    return locale;
  }
  locale_t before_;
};

void append(std::string& to, const char* format, va_list arguments) {
  const ClassicLocale classic;
  std::array<char, 256> line;
  va_list again;
  va_copy(again, arguments);
  const auto length =
      static_cast<std::size_t>(std::vsnprintf(line.data(), line.size(), format, arguments));
  if (length < line.size()) {
    to.append(line.data(), length);
  } else {
    const std::size_t before = to.size();
    to.resize(before + length + 1);
    std::vsnprintf(to.data() + before, length + 1, format, again);
    to.resize(before + length);
  }
  va_end(again);
}

/// Bytes of the character that the text begins with; 0: it is not UTF-8 (RFC 3629: the shortest
/// form alone, no surrogates, nothing beyond U+10FFFF).
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const unsigned second = byte(1);
  const bool wrong = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                     (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return wrong ? 0 : length;
}

/// Calls `act` with each character; what is none is U+FFFD.
template <class Act>
void each_character(std::string_view bytes, Act&& act) {
  while (!bytes.empty()) {
    const std::size_t length = character(bytes);
    act(length == 0 ? std::string_view("\xEF\xBF\xBD") : bytes.substr(0, length));
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; end != text.npos; text.remove_prefix(end + 1)) {
    end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) break;
  }
  return parts;
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : separator).append(word);
  return text;
}

std::string sizes(const std::vector<std::int64_t>& extents) {
  std::string text;
  for (const std::int64_t extent : extents)
    text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text;
}

std::string text(double value) {
  std::array<char, 32> digits;
  const auto [end, problem] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), end};
}

std::string formatted(const char* format, ...) {
  std::string all;
  va_list arguments;
  va_start(arguments, format);
  append(all, format, arguments);
  va_end(arguments);
  return all;
}

void append(std::string& text, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  append(text, format, arguments);
  va_end(arguments);
}

std::string utf8(std::string_view bytes) {
  std::string text;
  each_character(bytes, [&](std::string_view one) { text += one; });
  return text;
}

std::string json_string(std::string_view bytes) {
  std::string json = "\"";
  each_character(bytes, [&](std::string_view one) {
    const char c = one[0];
    if (c == '"' || c == '\\')
      json.append(1, '\\').append(1, c);
    else if (c == '\n')
      json += "\\n";
    else if (c == '\t')
      json += "\\t";
    else if (static_cast<unsigned char>(c) < ' ')
      append(json, "\\u%04x", static_cast<unsigned>(c));
    else
      json += one;
  });
  return json + '"';
}

std::string xml_text(std::string_view bytes) {
  std::string xml;
  each_character(bytes, [&](std::string_view one) {
    const char c = one[0];
    if (c == '&')
      xml += "&amp;";
    else if (c == '<')
      xml += "&lt;";
    else if (c == '>')
      xml += "&gt;";
    else if (c == '"')
      xml += "&quot;";
    else if (static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n')
      xml += "\xEF\xBF\xBD";
    else
      xml += one;
  });
  return xml;
}

}  // namespace halocline::base
