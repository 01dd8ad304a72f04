#pragma once
// Through which schemes a program's results are tested.

#include <halocline/scheme.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>
#include <vector>

/// All methods of this MPI, those that read neighbours' memory in every combination, and GASPI from
/// field to field; but for what this MPI is known to break with so many ranks (see
/// tests/CMakeLists.txt).
inline std::vector<std::string> tested_schemes() {
  const char* const broken = std::getenv("HALOCLINE_TEST_EXCEPT");
  std::vector<std::string> schemes;
  const auto add = [&](const std::string& scheme) {
    if (!(broken && halocline::Scheme(scheme).matches(broken))) schemes.push_back(scheme);
  };
  for (const halocline::SchemeFacts& known : halocline::known_schemes())
    if (known.unavailable.empty()) add(known.scheme);
  for (const std::string& scheme : halocline::scheme_combinations())
    if (scheme.find("access=direct") != scheme.npos || scheme == "gaspi+pack=off") add(scheme);
  return schemes;
}

/// What gtest can call the test of a scheme.
inline std::string name_of_scheme(const testing::TestParamInfo<std::string>& tested) {
  std::string name = tested.param;
  std::ranges::replace_if(
      name, [](unsigned char letter) { return !std::isalnum(letter); }, '_');
  return name;
}
