#pragma once
// What the tests of programs on a device share: whether there is one, and what each step copies.

#include <machine/device_arrays.hpp>

#include <halocline/halocline.hpp>
#include <halocline/more/device.hpp>
#include <halocline/more/islands.hpp>

#include <gtest/gtest.h>
#include <cstdint>
#include <stdexcept>
#include <string>

/// Whether there is no such device, which says so.
inline bool no_device() {
  using namespace halocline;
  try {
    open_device({}, mpi::rank(Islands(world()).island()));
    return false;
  } catch (const std::runtime_error& problem) {
    EXPECT_NE(std::string(problem.what()).find("there is no device"), std::string::npos)
        << problem.what();
    return true;
  }
}

/// What arrives in a rank's halo from others, in bytes.
inline std::uint64_t bytes_landing(const halocline::Pattern& halo) {
  return halo.reversed().elements_sent() * sizeof(double);
}

/// Bytes there and back after so many sweeps and exchanges of two arrays of `array` bytes.
inline void expect_copies(machine::DeviceStep step, const halocline::DeviceTraffic& traffic,
                          const halocline::Pattern& halo, std::uint64_t array, std::uint64_t sweeps,
                          std::uint64_t exchanges, const std::string& which) {
  using machine::DeviceStep;
  switch (step) {
    case DeviceStep::mapped:
      EXPECT_EQ(traffic.to_host, 2 * array * sweeps) << which;
      EXPECT_EQ(traffic.to_device, 2 * array * sweeps) << which;
      break;
    case DeviceStep::resident:
      EXPECT_EQ(traffic.to_host, array * exchanges) << which;
      EXPECT_EQ(traffic.to_device, array * exchanges) << which;
      break;
    case DeviceStep::aware: EXPECT_EQ(traffic.to_host + traffic.to_device, 0u) << which; break;
    default:  // two halos, not two grids
      EXPECT_EQ(traffic.to_host, halo.elements_sent() * sizeof(double) * exchanges) << which;
      EXPECT_EQ(traffic.to_device, bytes_landing(halo) * exchanges) << which;
  }
}

/// Halos that come from peers' devices: nothing passes the host.
inline void expect_copies_from_peers(const halocline::DeviceTraffic& traffic,
                                     const halocline::Pattern& halo, std::uint64_t exchanges,
                                     const std::string& which) {
  EXPECT_EQ(traffic.to_host + traffic.to_device, 0u) << which;
  EXPECT_EQ(traffic.within, bytes_landing(halo) * exchanges) << which;
}
