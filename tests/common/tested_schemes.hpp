#pragma once
// Through which schemes a program's results are tested.

#include <halocline/scheme.hpp>

#include <cstdlib>
#include <string>
#include <vector>

/// All methods of this MPI, and those that read neighbours' memory in every combination; but for
/// what this MPI is known to break with so many ranks (see tests/CMakeLists.txt).
inline std::vector<std::string> tested_schemes() {
  const char* const broken = std::getenv("HALOCLINE_TEST_EXCEPT");
  std::vector<std::string> schemes;
  const auto add = [&](const std::string& scheme) {
    if (!(broken && halocline::Scheme(scheme).matches(broken))) schemes.push_back(scheme);
  };
  for (const halocline::SchemeFacts& known : halocline::known_schemes())
    if (known.unavailable.empty()) add(known.scheme);
  for (const std::string& scheme : halocline::scheme_combinations())
    if (scheme.find("access=direct") != scheme.npos) add(scheme);
  return schemes;
}
