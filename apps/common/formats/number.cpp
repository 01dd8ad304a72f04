#include "number.hpp"

#include "shown.hpp"

#include <base/text.hpp>

#include <algorithm>
#include <cmath>

namespace formats {

namespace {

namespace base = halocline::base;

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

/// Without a plus, which from_chars does not know; nothing if another sign follows it.
std::string_view without_plus(std::string_view word) {
  if (!word.starts_with('+')) return word;
  word.remove_prefix(1);
  return word.starts_with('-') ? std::string_view() : word;
}

/// Whether a decimal number that no double can hold is too large; otherwise it is too small.
bool is_large(std::string_view word) {
  const std::size_t e = std::min(word.find_first_of("eE"), word.size());
  const std::string_view digits = word.substr(0, e);
  const auto point = static_cast<std::int64_t>(std::min(digits.find('.'), digits.size()));
  const auto first = static_cast<std::int64_t>(digits.find_first_of("123456789"));
  std::string_view exponent = word.substr(std::min(e + 1, word.size()));
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  std::int64_t power = 0;
  if (base::read(exponent, power) == std::errc::result_out_of_range)
    return !exponent.starts_with('-');
  return power > first - point;  // any power that there is
}

Reading<double> decimal(std::string_view word, std::string_view text, Values values) {
  double value = 0;
  const std::errc problem = base::read(text, value);
  if (problem == std::errc::invalid_argument) return {word, 0, Fault::no_number};
  if (problem == std::errc::result_out_of_range) {
    if (is_large(text)) return {word, 0, text.front() == '-' ? Fault::too_small : Fault::too_large};
    return {word, text.front() == '-' ? -0.0 : 0.0};
  }
  if (values == Values::finite && !std::isfinite(value)) return {word, 0, Fault::not_finite};
  return {word, value};
}

}  // namespace

Reading<double> real(std::string_view word, Values values) {
  const std::string_view text = without_plus(word);
  const Reading<double> reading = decimal(word, text, values);
  // Fortran's exponents of double precision.
  const std::size_t letter = text.find_first_of("dD");
  if (reading.fault != Fault::no_number || letter == text.npos || letter == 0) return reading;
  const char before = text[letter - 1];
  if (!is_digit(before) && before != '.') return reading;
  std::string in_c(text);
  in_c[letter] = 'e';
  return decimal(word, in_c, values);
}

Reading<std::int64_t> whole(std::string_view word) {
  const std::string_view text = without_plus(word);
  std::int64_t value = 0;
  const std::errc problem = base::read(text, value);
  if (problem == std::errc()) return {word, value};
  if (problem == std::errc::result_out_of_range)
    return {word, 0, text.front() == '-' ? Fault::too_small : Fault::too_large};
  return {word, 0, real(word, Values::any) ? Fault::no_whole_number : Fault::no_number};
}

std::string explain(std::string_view word, Fault fault, const std::string& least,
                    const std::string& most) {
  const std::string what = quoted(word);
  switch (fault) {
    case Fault::none: break;
    case Fault::no_number: return what + " is no number";
    case Fault::no_whole_number: return what + " is no whole number";
    case Fault::not_finite: return what + " is not finite";
    case Fault::too_large: return what + " is too large, the most is " + most;
    case Fault::too_small: return what + " is too small, the least is " + least;
  }
  return what;
}

}  // namespace formats
