#pragma once
// Results for people and as JSON; docs/reference/replay.md describes the file.

#include "measure.hpp"

#include <nlohmann/json.hpp>

#include <iosfwd>

namespace haloreplay {

nlohmann::ordered_json as_json(const Replayed& replayed);
void print(std::ostream& out, const Replayed& replayed);

}  // namespace haloreplay
