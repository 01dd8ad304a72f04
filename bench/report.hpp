#pragma once
// What was measured, as a table and as JSON (docs/results.md, "Benchmark").

#include "measure.hpp"

#include <iosfwd>

namespace halobench {

/// A line for each contender of a group; one more for each that was left out, with the reason.
void print(std::ostream& out, const std::string& title, const std::vector<Measured>& results);

/// The entry of the file's `settings`.
nlohmann::ordered_json as_json(const Measured& result);

}  // namespace halobench
