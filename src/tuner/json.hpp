#pragma once
// JSON as the tuner's files have it: what people have left out or written otherwise is no error.

#include <nlohmann/json.hpp>

#include <string>

namespace halocline::detail {

/// Members stay where people have put them.
using Json = nlohmann::ordered_json;

/// A member; null if this is no object or has none of that name.
inline const Json& member(const Json& of, const char* name) {
  static const Json null;
  if (!of.is_object()) return null;
  const auto found = of.find(name);
  return found == of.end() ? null : *found;
}
/// The values of a list; none if it is no list.
inline const Json::array_t& list(const Json& of) {
  static const Json::array_t none;
  return of.is_array() ? of.get_ref<const Json::array_t&>() : none;
}
inline std::string text(const Json& of) {
  return of.is_string() ? of.get<std::string>() : std::string();
}
inline double number(const Json& of) {
  return of.is_number() ? of.get<double>() : 0;
}
/// 0 also where no int holds it.
inline int whole(const Json& of) {
  const double value = number(of);
  return value > -2e9 && value < 2e9 ? static_cast<int>(value) : 0;
}

}  // namespace halocline::detail
