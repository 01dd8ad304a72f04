#pragma once
// Patterns and machines that need not be here: the links of every rank of a grid, and where the
// ranks are.

#include "simulator.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <vector>

namespace halosim {

struct World {
  std::vector<halocline::model::Links> links;  ///< of each rank
  std::vector<double> points;                  ///< cells that each rank owns
  Places places;
  std::vector<int> dims{};
};

/// From the request's words: "pattern" is a grid {"cells": [...] (or "each": those of a rank),
/// "halo": 1 or "halos": [[below, above], ...], "periodic": [...], "corners": true,
/// "element_bytes": 8, "dims": [...]}, a pair
/// {"bytes": n}, a ring {"bytes": n} (each rank sends to its successor and to its predecessor), a
/// shift {"bytes": n} (to the successor alone), or explicit links [[from, to, bytes], ...], also as
/// {"links": ...}; "ranks", "ranks_per_node", "ranks_per_socket", "placement": "sequential" or
/// "placed". Throws halocline::Error on anything else.
World world(const nlohmann::json& request);

}  // namespace halosim
