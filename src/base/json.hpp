#pragma once
// JSON that others have written.

#include <halocline/error.hpp>

#include <string_view>

namespace halocline::base {

/// A text as a value of nlohmann's library, which throws what it says is wrong. Throws Error for
/// one that is nested so deep that copying or writing it would need more stack than there is.
template <class Json>
Json json_of(std::string_view text) {
  constexpr int deepest = 100;
  return Json::parse(text, [](int depth, auto, const auto&) {
    if (depth > deepest) throw Error("it is nested more than 100 deep");
    return true;
  });
}

}  // namespace halocline::base
