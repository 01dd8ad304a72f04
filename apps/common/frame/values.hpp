#pragma once
// What the words of a command line mean.

#include <formats/number.hpp>

#include <halocline/error.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace frame {

using formats::number;

/// What an option has been given. Each function throws Error, which names option, text and what
/// would be right, unless the text is what it asks for.
struct Value {
  std::string option, text;
  bool quoted = false;  ///< a string of a file: no number

  std::int64_t integer(std::int64_t least, std::int64_t most) const;

  /// A finite number for which `right` holds; `what` says so in words.
  template <class Right>
  double real(const char* what, Right&& right) const {
    const auto value = number<double>(text);
    if (quoted || !value || !right(*value)) refuse(what);
    return *value;
  }

  template <class Choice>
  Choice choose(std::initializer_list<std::pair<const char*, Choice>> choices) const {
    std::string names;
    for (const auto& [name, choice] : choices) {
      if (says(name)) return choice;
      names += (names.empty() ? "" : choices.size() == 2 ? " or " : ", ") + std::string(name);
    }
    refuse((choices.size() == 2 ? "" : "one of ") + names);
  }

  /// Whether that is the word; on and off may be true and false, as files have them.
  bool says(std::string_view word) const {
    return text == word || (word == "on" && text == "true") || (word == "off" && text == "false");
  }

  /// The name of a file that will be written.
  const std::string& file() const {
    if (text.empty()) refuse("the name of a file");
    return text;
  }

  [[noreturn]] void refuse(const std::string& right) const;
};

/// Throws Error unless an option fits: one that would be ignored is a mistake.
void only_with(bool fits, const std::string& option, const char* where);

}  // namespace frame
