#include <halocline/scheme.hpp>

#include "base/shown.hpp"
#include "base/text.hpp"
#include "registry.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <sstream>

namespace halocline {

using detail::facts;
using detail::MethodFacts;
using detail::OptionFacts;

namespace {

constexpr std::size_t most_shown = 1000;  // of a message
constexpr std::size_t longest = 1000;     // schemes are within schemes within schemes

/// "family:operation" prefixes of `name`: the part up to each colon and the whole.
bool begins(const std::string& name, std::string_view prefix) {
  return name.size() > prefix.size() && name.compare(0, prefix.size(), prefix) == 0 &&
         name[prefix.size()] == ':';
}

/// What may follow the longest part of `name` that is right.
std::string unknown_method(std::string_view name) {
  std::string_view known = name;
  while (!known.empty()) {
    std::vector<std::string> next;
    for (const MethodFacts& method : detail::registry())
      if (begins(method.name, known)) {
        const std::string rest = method.name.substr(known.size() + 1);
        const std::string word = rest.substr(0, rest.find(':'));
        if (std::find(next.begin(), next.end(), word) == next.end()) next.push_back(word);
      }
    if (!next.empty())
      return "after '" + std::string(known) + ":' must come one of " + base::joined(next);
    const auto colon = known.rfind(':');
    known = colon == std::string_view::npos ? std::string_view{} : known.substr(0, colon);
  }
  std::vector<std::string> families;
  for (const MethodFacts& method : detail::registry()) {
    const std::string family = method.name.substr(0, method.name.find(':'));
    if (std::find(families.begin(), families.end(), family) == families.end())
      families.push_back(family);
  }
  return "a scheme begins with one of " + base::joined(families);
}

const OptionFacts* find_option(const MethodFacts& method, std::string_view name) {
  for (const OptionFacts& option : method.options)
    if (option.name == name) return &option;
  return nullptr;
}

}  // namespace

Scheme::Scheme(std::string_view text) {
  const auto fail = [&](const std::string& why) -> Error {
    return Error(base::shown(std::string(text) + ": " + why, most_shown));
  };
  if (text.empty()) throw Error("the scheme is empty; for example p2p:nonblocking");

  if (text.size() > longest)
    throw Error(base::shown(text) + ": no scheme has " + std::to_string(text.size()) +
                " characters");

  auto plus = text.find('+');
  method_ = text.substr(0, plus);
  const MethodFacts* method = detail::find_method(method_);
  if (method == nullptr) throw fail(unknown_method(method_));
  if (const std::string why = method->missing(); !why.empty()) throw fail(why);
  for (const OptionFacts& option : method->options) options_[option.name] = option.values.front();

  std::vector<std::string> given;
  while (plus != std::string_view::npos) {
    const std::string_view rest = text.substr(plus + 1);
    // The outer scheme has options of its own: it is the rest of the text.
    const bool last = rest.substr(0, 6) == "outer=";
    plus = last ? std::string_view::npos : text.find('+', plus + 1);
    const std::string_view word = rest.substr(0, last ? rest.size() : rest.find('+'));
    const auto equals = word.find('=');
    if (equals == std::string_view::npos)
      throw fail("option '" + std::string(word) + "' must be written +option=value");
    const std::string name(word.substr(0, equals)), value(word.substr(equals + 1));

    const OptionFacts* option = find_option(*method, name);
    if (option == nullptr) {
      for (const auto& [refused, why] : method->refusals)
        if (refused == name) throw fail(why);
      std::vector<std::string> names;
      for (const OptionFacts& known : method->options) names.push_back(known.name);
      throw fail("no option '" + name + "'; " +
                 (names.empty() ? method_ + " has none" : "there are " + base::joined(names)));
    }
    if (std::find(given.begin(), given.end(), name) != given.end())
      throw fail("option '" + name + "' is given twice");
    given.push_back(name);
    if (option->check) {
      try {
        option->check(value);
      } catch (const Error& problem) {
        throw fail(problem.what());
      }
    } else if (std::find(option->values.begin(), option->values.end(), value) ==
               option->values.end()) {
      throw fail(name + "=" + value + ": must be one of " + base::joined(option->values));
    }
    options_[name] = name == "outer" ? Scheme(value).str() : value;
  }
  if (const std::string why = method->conflict(*this); !why.empty()) throw fail(why);
  if (has("corners") && is("corners", "forwarded") && reads_in_place())
    throw fail("there are no halos to forward where cells are read in place; use access=slots");
}

const std::string& Scheme::option(std::string_view name) const {
  const auto found = options_.find(name);
  if (found == options_.end())
    throw Error(method_ + " has no option " + base::quoted(name, most_shown));
  return found->second;
}

std::string_view Scheme::part(std::size_t index) const noexcept {
  std::string_view rest = method_;
  for (; index > 0; --index) {
    const auto colon = rest.find(':');
    if (colon == std::string_view::npos) return {};
    rest.remove_prefix(colon + 1);
  }
  return rest.substr(0, rest.find(':'));
}

std::string Scheme::str() const {
  std::string text = method_;
  for (const OptionFacts& option : facts(*this).options) {
    const std::string& value = options_.find(option.name)->second;
    if (value != option.values.front()) text += "+" + option.name + "=" + value;
  }
  return text;
}

std::string Scheme::full() const {
  std::string text = method_;
  for (const OptionFacts& option : facts(*this).options) {
    const std::string& value = options_.find(option.name)->second;
    text += "+" + option.name + "=" + (option.name == "outer" ? Scheme(value).full() : value);
  }
  return text;
}

Scheme Scheme::with(std::string_view option, std::string_view value) const {
  static_cast<void>(this->option(option));  // there must be one
  Scheme changed = *this;
  changed.options_.find(option)->second = value;
  return Scheme(changed.str());
}

Scheme Scheme::without(std::string_view option) const {
  static_cast<void>(this->option(option));
  return with(option, find_option(facts(*this), option)->values.front());
}

bool Scheme::matches(const std::string& glob) const {
  return fnmatch(glob.c_str(), str().c_str(), 0) == 0 ||
         fnmatch(glob.c_str(), full().c_str(), 0) == 0;
}

MemoryKind Scheme::memory() const {
  return facts(*this).memory(*this);
}

bool Scheme::reads_in_place() const {
  return facts(*this).reads_in_place(*this);
}

IslandSpec Scheme::islands() const {
  const auto found = options_.find("island");
  return found == options_.end() ? IslandSpec() : IslandSpec(found->second);
}

std::vector<SchemeFacts> known_schemes() {
  std::vector<SchemeFacts> schemes;
  for (const MethodFacts& method : detail::registry())
    if (!method.chooses) schemes.push_back({method.name, method.summary, method.missing()});
  return schemes;
}

std::vector<std::string> scheme_combinations() {
  std::vector<std::string> schemes;
  for (const MethodFacts& method : detail::registry()) {
    if (method.chooses || !method.missing().empty()) continue;
    std::vector<std::string> texts{method.name};
    for (const OptionFacts& option : method.options) {
      // They change nothing in how the others work: once is enough (below).
      if (option.name == "corners" || option.name == "heads" || option.name == "device") continue;
      std::vector<std::string> longer;
      for (const std::string& text : texts)
        for (const std::string& value : option.values)
          longer.push_back(value == option.values.front() ? text
                                                          : text + "+" + option.name + "=" + value);
      texts = std::move(longer);
    }
    texts.push_back(method.name + "+corners=forwarded");
    texts.push_back(method.name + "+heads=2");
    for (const std::string& text : texts) {
      try {
        schemes.push_back(Scheme(text).str());
      } catch (const Error&) {
        // These options do not fit together.
      }
    }
  }
  return schemes;
}

std::string scheme_options_help() {
  std::ostringstream text;
  for (const MethodFacts& method : detail::registry()) {
    if (method.options.empty()) continue;
    text << method.name << '\n';
    for (const OptionFacts& option : method.options)
      text << "  +" << option.name << "=" << base::joined(option.values, "|")
           << (option.check ? "|..." : "") << '\n';
  }
  return text.str();
}

}  // namespace halocline
