#pragma once
// One message between two islands, by way of their heads (heads=): the library's plan, made for all
// ranks at once.

#include "world.hpp"

#include <halocline/pattern.hpp>

#include <vector>

namespace halosim {

/// Fills in Links::hops of all ranks. `patterns` and `islands`: of each rank. Nothing where no link
/// leaves an island.
void go_by_heads(World& world, const std::vector<halocline::Pattern>& patterns,
                 double element_bytes, const std::vector<int>& islands);

}  // namespace halosim
