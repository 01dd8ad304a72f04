#pragma once
// One number of a text file or a command line, the same whatever the locale.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace formats {

/// What keeps a word from being a number.
enum class Fault { none, no_number, no_whole_number, not_finite, too_large, too_small };

/// "'1e400' is too large, the most is 1.7976931348623157e+308"
std::string explain(std::string_view word, Fault fault, const std::string& least,
                    const std::string& most);

/// A word as a number, or why it is none.
template <class Number>
struct Reading {
  std::string_view word;
  Number value{};
  Fault fault = Fault::none;

  explicit operator bool() const noexcept { return fault == Fault::none; }
  /// Only where there is one.
  Number operator*() const noexcept { return value; }
  /// In words, beginning with the word itself.
  std::string why() const {
    using Limits = std::numeric_limits<Number>;
    if constexpr (std::is_floating_point_v<Number>)
      return explain(word, fault, "-1.8e308", "1.8e308");
    else
      return explain(word, fault, std::to_string(Limits::min()), std::to_string(Limits::max()));
  }
};

enum class Values { finite, any };  ///< any: inf and nan, too

Reading<double> real(std::string_view word, Values values = Values::finite);
Reading<std::int64_t> whole(std::string_view word);

/// The whole word as a number.
///
/// A double is written as C, Python, MATLAB or Fortran write it: "-1.5", "+1.5", ".5", "5.",
/// "1e-3", "1.0D+00"; what is too small for a double is 0, as strtod has it. A whole number is
/// digits with or without a sign: "3.0" and "3e0" are none.
template <class Number>
Reading<Number> number(std::string_view word, Values values = Values::finite) {
  if constexpr (std::is_same_v<Number, double>) {
    return real(word, values);
  } else {
    static_assert(std::is_integral_v<Number>);
    using Limits = std::numeric_limits<Number>;
    const auto [same, value, fault] = whole(word);
    if (std::cmp_greater(value, Limits::max())) return {word, 0, Fault::too_large};
    if (std::cmp_less(value, Limits::min())) return {word, 0, Fault::too_small};
    return {word, static_cast<Number>(value), fault};
  }
}

}  // namespace formats
