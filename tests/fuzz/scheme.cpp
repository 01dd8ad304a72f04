// The strings of schemes.

#include "fuzz.hpp"

#include <halocline/scheme.hpp>

namespace {

/// What a scheme calls itself is the same scheme.
void read(std::string_view text) {
  const halocline::Scheme scheme(text);
  const std::string name = scheme.str();
  fuzz::must(halocline::Scheme(name) == scheme && halocline::Scheme(name).str() == name);
  fuzz::must(halocline::Scheme(scheme.full()) == scheme);
  fuzz::must(name.starts_with(scheme.method()) && scheme.matches(name));
  scheme.islands();
  scheme.memory();
  scheme.reads_in_place();
}

const fuzz::Target target("scheme", read);

}  // namespace
