#pragma once
// How much of a long list of configurations is tested.

#include <cstdlib>

/// Whether this is `./dev soak`.
inline bool in_soak() {
  return std::getenv("HALOCLINE_SOAK") != nullptr;
}

/// One in how many: each, but under the sanitizers, where a step takes ten times as long, one in
/// seven, which shares no factor with most lists' lengths. What all give is tested without
/// sanitizers, and with them by `./dev soak`.
inline unsigned one_in() {
  static const bool few = std::getenv("HALOCLINE_TEST_FEW") != nullptr && !in_soak();
  return few ? 7 : 1;
}

inline bool its_turn(unsigned number) {
  return number % one_in() == 0;
}
