#pragma once
// The engine SimGrid: its actors play the same programs, and messages between nodes share the links
// of a network.

#include "platform.hpp"

namespace halosim {

/// Whether this program was built with SimGrid.
bool has_simgrid();

/// In a process of its own, as SimGrid runs once in each. Throws halocline::Error as `simulate`
/// does, and where this program was built without SimGrid.
///
/// Within a node everything costs and waits as in `simulate`. Between nodes a message loads the
/// links that it takes for as long as the machine file says when it is alone; several of one rank
/// go at the same time and share these.
Outcome simulate_by_simgrid(const Run& run, const Platform& platform);

}  // namespace halosim
