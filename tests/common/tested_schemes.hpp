#pragma once
// Through which schemes a program's results are tested.

#include "known_faults.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

/// Without what this MPI is known to break.
inline std::vector<std::string> without_broken(std::vector<std::string> schemes) {
  std::erase_if(schemes, is_broken);
  return schemes;
}

/// All methods of this MPI, and those that read neighbours' memory in every combination; without
/// what is broken.
inline std::vector<std::string> tested_schemes() {
  std::vector<std::string> schemes;
  for (const halocline::SchemeFacts& known : halocline::known_schemes())
    if (known.unavailable.empty()) schemes.push_back(known.scheme);
  for (const std::string& scheme : halocline::scheme_combinations())
    if (scheme.find("access=direct") != scheme.npos) schemes.push_back(scheme);
  return without_broken(std::move(schemes));
}

/// What gtest can call the test of a scheme.
inline std::string name_of_scheme(const testing::TestParamInfo<std::string>& tested) {
  std::string name = tested.param;
  std::ranges::replace_if(
      name, [](unsigned char letter) { return !std::isalnum(letter); }, '_');
  return name;
}
