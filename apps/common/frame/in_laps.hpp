#pragma once
// What `auto+when=running` has found in a program's own steps, for its text and its result file.

#include "json.hpp"

#include <halocline/more/section.hpp>

#include <optional>

namespace frame {

/// `running` of the result file (docs/reference/results.md); null if nothing was chosen so.
nlohmann::ordered_json in_laps(const std::optional<halocline::Section::Findings>& found);

}  // namespace frame
