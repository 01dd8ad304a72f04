#pragma once
// What was measured, as a table and as JSON (docs/reference/results.md, "Benchmark").

#include "measure.hpp"

#include <iosfwd>
#include <span>

namespace halometer {

/// The distance between two cores (cores.hpp) before and after a group: the last two of those
/// taken.
struct Around {
  explicit Around(std::span<const double> distances) {
    if (distances.size() > 1) before = *(distances.end() - 2), after = distances.back();
  }
  bool known() const noexcept { return before > 0; }
  double before = 0, after = 0;  ///< seconds
};

/// A line for each contender of a group; one more for each that was left out, with the reason.
void print(std::ostream& out, const std::string& title, const Around& around,
           const std::vector<Measured>& results);

/// The entry of the file's `settings`.
nlohmann::ordered_json as_json(const Measured& result, const Around& around);

}  // namespace halometer
