#include "settings_file.hpp"

#include <base/shown.hpp>

#include <halocline/error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

#ifdef HALOCLINE_HAVE_TOML
// Of some files ("[[/") toml++ 3.3 asserts, or where NDEBUG is defined lets Clang assume, what is
// not so. Without that it goes on and refuses them.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")
#endif

namespace frame {

using halocline::Error;
namespace base = halocline::base;

#ifdef HALOCLINE_HAVE_TOML

namespace {

/// Each dot of a key is a table within another, which the parser goes into by calling itself.
constexpr std::ptrdiff_t most_dots = 4096;

std::string text_of(double value) {
  char digits[32];
  std::string text(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  // It stays one that is no integer.
  if (std::isfinite(value) && text.find_first_of(".e") == text.npos) text += ".0";
  return text;
}

Setting setting_of(const std::string& file, std::string key, const toml::node& value) {
  Setting setting;
  setting.key = std::move(key);
  setting.place = file + ":" + std::to_string(value.source().begin.line);
  const auto refuse = [&](const char* what) {
    throw Error(setting.place + ": " + base::shown(setting.key) + " is " + what +
                "; it must be a string, a number, true or false, or an array of numbers");
  };
  const auto number = [&](const toml::node& node) {
    if (node.is_integer()) return std::to_string(node.as_integer()->get());
    if (!node.is_floating_point()) refuse("an array of something else than numbers");
    return text_of(node.as_floating_point()->get());
  };
  if (value.is_string()) {
    setting.text = value.as_string()->get();
    setting.quoted = true;
  } else if (value.is_boolean()) {
    setting.text = value.as_boolean()->get() ? "true" : "false";
  } else if (value.is_number()) {
    setting.text = number(value);
  } else if (const toml::array* const array = value.as_array()) {
    for (const toml::node& each : *array) {
      if (!setting.text.empty()) setting.text += ',';
      setting.text += number(each);
    }
  } else if (value.is_table()) {
    refuse("a table");
  } else {
    refuse("a date or a time");
  }
  return setting;
}

}  // namespace

std::vector<Setting> settings_of(const std::string& file, std::string_view content) {
  if (const auto dots = std::ranges::count(content, '.'); dots > most_dots)
    throw Error(file + ": it has " + std::to_string(dots) + " dots; settings have at most " +
                std::to_string(most_dots));
  std::vector<Setting> settings;
  try {
    const toml::table table = toml::parse(content, file);
    std::vector<std::pair<std::string, const toml::node*>> all;
    for (const auto& [key, value] : table) all.emplace_back(key.str(), &value);
    std::ranges::stable_sort(all, {},
                             [](const auto& entry) { return entry.second->source().begin.line; });
    for (const auto& [key, value] : all) settings.push_back(setting_of(file, key, *value));
  } catch (const toml::parse_error& problem) {
    throw Error(file + ":" + std::to_string(problem.source().begin.line) + ": " +
                base::shown(problem.description(), 300));
  }
  return settings;
}

#else

std::vector<Setting> settings_of(const std::string& file, std::string_view) {
  throw Error(file +
              ": this build reads no TOML, as toml++ was missing (Debian, Ubuntu: apt install "
              "libtomlplusplus-dev)");
}

#endif

}  // namespace frame
