#include "values.hpp"

namespace frame {

using halocline::Error;

std::int64_t Value::integer(std::int64_t least, std::int64_t most) const {
  const auto value = number<std::int64_t>(text);
  if (quoted || !value || *value < least || *value > most)
    refuse("an integer from " + std::to_string(least) + " to " + std::to_string(most));
  return *value;
}

void Value::refuse(const std::string& right) const {
  throw Error(option + (option.ends_with('=') ? "" : " ") + (text.empty() ? "''" : text) +
              ": must be " + right);
}

void only_with(bool fits, const std::string& option, const char* where) {
  if (!fits) throw Error(option + ": is for " + where);
}

}  // namespace frame
