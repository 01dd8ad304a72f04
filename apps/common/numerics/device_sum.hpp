#pragma once
// Exact sums of what is on a device: the integers of an ExactSum for each of many workers there,
// who share the numbers out; then for each of a few groups of workers; the rest is added on the
// host.

#include "exact_sum.hpp"

#include <halocline/more/device.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace numerics {

/// As kernels see it: integer j of worker w is limbs[j * workers + w], that of a group g is
/// sums[j * groups + g].
struct DeviceLimbs {
  std::int64_t *limbs = nullptr, *sums = nullptr;
  std::int64_t workers = 0, groups = 0;
};

class DeviceSum {
 public:
  /// For sums of up to so many numbers.
  DeviceSum(halocline::Device& device, std::int64_t numbers) : device_(device) {
    // As many as fill a device, if each has some numbers to add.
    constexpr std::int64_t most = 32768, least_numbers = 32, groups = 256;
    there_.workers = std::clamp<std::int64_t>(numbers / least_numbers, 1, most);
    there_.groups = std::min(there_.workers, groups);
    there_.limbs = allocate(there_.workers);
    there_.sums = allocate(there_.groups);
  }
  ~DeviceSum() {
    device_.free(there_.limbs);
    device_.free(there_.sums);
  }
  DeviceSum(const DeviceSum&) = delete;
  DeviceSum& operator=(const DeviceSum&) = delete;

  const DeviceLimbs& there() const noexcept { return there_; }
  /// What kernels in this stream have added up. Waits.
  ExactSum collect(halocline::DeviceStream stream) const {
    std::vector<std::int64_t> sums(static_cast<std::size_t>(ExactSum::limbs * there_.groups));
    device_.copy(sums.data(), there_.sums, sums.size() * sizeof sums[0],
                 halocline::DeviceCopy::to_host, stream);
    device_.wait(stream);
    ExactSum all;
    auto next = sums.begin();
    for (std::int64_t& limb : all.integers())
      for (std::int64_t g = 0; g < there_.groups; ++g) limb += *next++;
    all.settle();
    return all;
  }

 private:
  std::int64_t* allocate(std::int64_t count) const {
    const std::size_t bytes =
        ExactSum::limbs * static_cast<std::size_t>(count) * sizeof(std::int64_t);
    return static_cast<std::int64_t*>(device_.allocate(bytes, false));
  }

  halocline::Device& device_;
  DeviceLimbs there_;
};

}  // namespace numerics
