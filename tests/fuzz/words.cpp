// Short words that options of the library are: islands, cuts; and globs.

#include "fuzz.hpp"

#include <halocline/cut.hpp>
#include <halocline/island.hpp>
#include <halocline/scheme.hpp>

namespace {

void read(std::string_view text) {
  static const halocline::Scheme scheme("p2p:nonblocking");
  scheme.matches(std::string(text));
  try {
    halocline::decomposition(text);
  } catch (const halocline::Error&) {
    const halocline::IslandSpec spec(text);
    fuzz::must(halocline::IslandSpec(spec.str()).str() == spec.str());
  }
}

const fuzz::Target target("words", read);

}  // namespace
