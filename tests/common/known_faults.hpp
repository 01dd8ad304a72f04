#pragma once
// Which schemes this MPI has, and does not carry out right with so many ranks: tests/CMakeLists.txt
// has the list, and tells each test in HALOCLINE_TEST_EXCEPT.

#include <halocline/scheme.hpp>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>

/// Whether this MPI is known to break it. The scheme must be one that this MPI has.
inline bool is_broken(const std::string& scheme) {
  const char* const all = std::getenv("HALOCLINE_TEST_EXCEPT");
  std::istringstream globs(all ? all : "");
  const halocline::Scheme one(scheme);
  for (std::string glob; std::getline(globs, glob, ',');)
    if (one.matches(glob)) return true;
  return false;
}

/// Whether this MPI has the method, which is a scheme's name without options, and is not known to
/// break it.
inline bool is_usable(const std::string& method) {
  return std::ranges::any_of(halocline::known_schemes(), [&](const halocline::SchemeFacts& known) {
    return known.scheme == method && known.unavailable.empty() && !is_broken(method);
  });
}
