#pragma once
// Who sends what where one message between two islands goes by way of their heads (heads=): as
// exchanges make it out among all ranks (src/exchange/routes/heads.cpp), from the links of all of
// them.

#include "world.hpp"

#include <map>
#include <vector>

namespace halosim {

/// Of each rank the bytes of its cells that some rank of another island needs, by island.
using Needed = std::vector<std::map<int, std::size_t>>;

/// Fills in Links::ways of all ranks. `islands`: of each rank. Nothing where no link leaves an
/// island.
void go_by_heads(World& world, const std::vector<int>& islands, const Needed& needed);

}  // namespace halosim
