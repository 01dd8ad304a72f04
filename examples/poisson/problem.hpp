#pragma once
// A right side whose solution is known.

#include "level.hpp"

#include <cstdint>

namespace poisson {

void set_right_side(Level& level);
/// The largest difference between u and the solution, on my cells.
double largest_error(const Level& level);
/// A sum of the bits of u on my cells. The sum over all ranks is the same whoever has which cell.
std::uint64_t checksum(const Level& level);

}  // namespace poisson
