#pragma once
// Plans as text, for tests.

#include "plan.hpp"

#include <nlohmann/json.hpp>

#include <string>

/// A plan of one pattern.
inline haloreplay::PlannedPattern pattern_of(const nlohmann::json& pattern) {
  nlohmann::json plan{{"plan", 1}, {"ranks", pattern.at("ranks").size()}};
  plan["patterns"] = {pattern};
  return haloreplay::read_plan(plan.dump(), "plan.json").patterns.at(0);
}
