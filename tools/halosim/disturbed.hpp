#pragma once
// Computing that takes longer than it should, the same in every engine.

#include "simulator.hpp"

namespace halosim {

/// How slow a rank is: 1 is as fast as the machine file says.
double slowness(const Disturbance& disturbance, std::size_t rank);

/// Seconds by which the act `at` of a rank's step, computing of `plain` seconds, lasts longer.
double longer(const Disturbance& disturbance, std::size_t rank, double slowness, int step,
              std::size_t at, double plain);

}  // namespace halosim
