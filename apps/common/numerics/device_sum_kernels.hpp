#pragma once
// What DeviceSum does on the device.

#include "device_sum.hpp"
#include "exact_limbs.hpp"

#include <halocline/more/device_each.hpp>

namespace numerics {

/// Adds up body(i) for all 0 <= i < count: numbers that add_to_limbs takes, up to 2^37 of them.
template <class Body>
void sum_exactly(halocline::DeviceStream stream, std::int64_t count, const DeviceLimbs& into,
                 Body body) {
  const DeviceLimbs there = into;
  halocline::each_on_device(stream, there.workers, [=] HALOCLINE_ON_DEVICE(std::int64_t worker) {
    std::int64_t* const mine = there.limbs + worker;
    for (int j = 0; j < ExactSum::limbs; ++j) mine[j * there.workers] = 0;
    for (std::int64_t i = worker; i < count; i += there.workers)
      add_to_limbs(body(i), mine, there.workers);
    settle_limbs(mine, there.workers);
  });
  halocline::each_on_device(
      stream, ExactSum::limbs * there.groups, [=] HALOCLINE_ON_DEVICE(std::int64_t index) {
        const std::int64_t* const limb = there.limbs + index / there.groups * there.workers;
        std::int64_t sum = 0;
        for (std::int64_t w = index % there.groups; w < there.workers; w += there.groups)
          sum += limb[w];
        there.sums[index] = sum;
      });
}

}  // namespace numerics
