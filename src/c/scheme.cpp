// Schemes, each a string.

#include "converted.hpp"

#include <utility>

using namespace halocline;
using c::give;

namespace {

thread_local std::string text_of_scheme;
thread_local std::vector<SchemeFacts> facts_of_schemes;

Scheme scheme_of(const char* text) {
  return Scheme(&c::at(text, "scheme"));
}

/// A text that lives until this thread asks for the next.
template <class Ask>
int give_text(const char* function, const char** text, Ask&& ask) {
  return give(function, text, "text", [&] {
    text_of_scheme = ask();
    return text_of_scheme.c_str();
  });
}

}  // namespace

int halocline_scheme_str(const char* scheme, const char** text) {
  return give_text(__func__, text, [&] { return scheme_of(scheme).str(); });
}
int halocline_scheme_full(const char* scheme, const char** text) {
  return give_text(__func__, text, [&] { return scheme_of(scheme).full(); });
}
int halocline_scheme_method(const char* scheme, const char** text) {
  return give_text(__func__, text, [&] { return scheme_of(scheme).method(); });
}
int halocline_scheme_option(const char* scheme, const char* option, const char** text) {
  return give_text(__func__, text,
                   [&] { return scheme_of(scheme).option(&c::at(option, "option")); });
}
int halocline_scheme_with(const char* scheme, const char* option, const char* value,
                          const char** text) {
  return give_text(__func__, text, [&] {
    return scheme_of(scheme).with(&c::at(option, "option"), &c::at(value, "value")).str();
  });
}
int halocline_scheme_without(const char* scheme, const char* option, const char** text) {
  return give_text(__func__, text,
                   [&] { return scheme_of(scheme).without(&c::at(option, "option")).str(); });
}
int halocline_scheme_matches(const char* scheme, const char* glob, int* matches) {
  return give(__func__, matches, "matches",
              [&] { return scheme_of(scheme).matches(&c::at(glob, "glob")); });
}
int halocline_scheme_memory(const char* scheme, int* kind) {
  return give(__func__, kind, "kind", [&] { return scheme_of(scheme).memory(); });
}
int halocline_scheme_reads_in_place(const char* scheme, int* really) {
  return give(__func__, really, "really", [&] { return scheme_of(scheme).reads_in_place(); });
}

int halocline_known_schemes(int* count) {
  return give(__func__, count, "count", [] { return known_schemes().size(); });
}

int halocline_known_scheme(int index, const char** scheme, const char** summary,
                           const char** unavailable) {
  return c::call(__func__, [&] {
    facts_of_schemes = known_schemes();
    if (index < 0 || std::cmp_greater_equal(index, facts_of_schemes.size()))
      throw c::ArgumentError("index is " + std::to_string(index) + ", but there are " +
                             std::to_string(facts_of_schemes.size()) + " methods");
    const SchemeFacts& facts = facts_of_schemes[static_cast<std::size_t>(index)];
    if (scheme != nullptr) *scheme = facts.scheme.c_str();
    if (summary != nullptr) *summary = facts.summary.c_str();
    if (unavailable != nullptr) *unavailable = facts.unavailable.c_str();
  });
}

int halocline_scheme_combinations(const char** lines) {
  return give_text(__func__, lines, [] {
    std::string all;
    for (const std::string& one : scheme_combinations()) all += one + "\n";
    return all;
  });
}
int halocline_scheme_options_help(const char** text) {
  return give_text(__func__, text, [] { return scheme_options_help(); });
}
