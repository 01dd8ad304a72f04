#pragma once
// Numbers and text, the same whatever the locale: a guest does not choose it. What is written for
// other programs or said to people goes through here.

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace halocline::base {

/// The whole text as a number in C's notation: "1.5", "-2", "1e-3". Returns `result_out_of_range`
/// for one that does not fit, and `invalid_argument` for anything else.
template <class Number>
std::errc read(std::string_view text, Number& value) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return end == text.data() + text.size() ? problem : std::errc::invalid_argument;
}

/// The same; nothing unless there is one that fits.
template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  if (read(text, value) != std::errc()) return std::nullopt;
  return value;
}

/// What is between the separators: of "1,2," it is "1", "2" and "".
std::vector<std::string_view> split(std::string_view text, char separator);

/// Words with a separator between them.
std::string joined(const std::vector<std::string>& words, std::string_view separator = ", ");

/// "4 x 3": how long an array is along each axis; nothing of one without axes.
std::string sizes(const std::vector<std::int64_t>& extents);

/// The shortest text that `number` reads as the same value.
std::string text(double value);

/// By printf's formats; numbers have a point and no separators.
[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...);
/// The same at the end of a text.
[[gnu::format(printf, 2, 3)]] void append(std::string& text, const char* format, ...);

/// Text as it is; bytes that are not UTF-8 become U+FFFD.
std::string utf8(std::string_view bytes);

/// Any bytes as a string of JSON, with its quotes: control characters are kept, escaped, and what
/// is not UTF-8 becomes U+FFFD.
std::string json_string(std::string_view bytes);

/// A value of nlohmann's library as text. What is not UTF-8 becomes U+FFFD; by itself the library
/// throws.
template <class Json>
std::string json_text(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// Any bytes as text between tags or quotes of XML 1.0, which has no place for control characters.
std::string xml_text(std::string_view bytes);

}  // namespace halocline::base
