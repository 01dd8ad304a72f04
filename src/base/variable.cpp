#include "variable.hpp"

#include "text.hpp"

#include <cmath>

namespace halocline::base {

Error wrong_variable(const char* name, std::string_view value, std::string_view right) {
  return Error(std::string(name) + "=" + std::string(value) + ": must be " + std::string(right));
}

bool switch_of(const char* name) {
  const std::string text = variable(name);
  if (text.empty()) return false;
  if (text != "0" && text != "1") throw wrong_variable(name, text, "0 or 1");
  return text == "1";
}

std::optional<std::int64_t> integer_of(const char* name, std::int64_t least, std::int64_t most,
                                       std::string_view unit) {
  const std::string text = variable(name);
  if (text.empty()) return {};
  const auto value = number<std::int64_t>(text);
  if (!value || *value < least || *value > most)
    throw wrong_variable(name, text,
                         "a whole number of " + std::string(unit) + " from " +
                             std::to_string(least) + " to " + std::to_string(most));
  return value;
}

std::optional<double> positive_of(const char* name, std::string_view right) {
  const std::string text = variable(name);
  if (text.empty()) return {};
  const auto value = number<double>(text);
  if (!value || !(*value > 0) || !std::isfinite(*value)) throw wrong_variable(name, text, right);
  return value;
}

}  // namespace halocline::base
