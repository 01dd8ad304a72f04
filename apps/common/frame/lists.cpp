#include "lists.hpp"

#include <base/text.hpp>

namespace frame {

std::vector<std::int64_t> numbers(std::string_view text, char separator, std::int64_t least,
                                  std::int64_t most) {
  std::vector<std::int64_t> list;
  for (const std::string_view word : halocline::base::split(text, separator)) {
    const auto value = number<std::int64_t>(word);
    if (!value || *value < least || *value > most) return {};
    list.push_back(*value);
  }
  return list;
}

std::array<std::int64_t, 3> three(const Value& value, std::int64_t most, const std::string& right) {
  const std::vector<std::int64_t> list = numbers(value.text, ',', 1, most);
  if (list.size() != 3) value.refuse(right);
  return {list[0], list[1], list[2]};
}

}  // namespace frame
