#pragma once
// What is asked of a simulation, and what it says: JSON in, JSON out
// (docs/reference/machine-file.md has the words).

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace halosim {

/// One case: scheme, pattern, computing, reduction, disturbances. Throws halocline::Error.
nlohmann::json simulated(const nlohmann::json& machine, const nlohmann::json& request);

/// {"machine": ..., "cases": [...]}: an outcome for each case, or its error.
nlohmann::json answers(const nlohmann::json& request);

/// The step of one rank of a small example, operation by operation.
nlohmann::json described(const std::string& scheme, const nlohmann::json& request);

}  // namespace halosim
