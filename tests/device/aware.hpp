#pragma once
// Whether tests on a device can let MPI have addresses of it.

#include <halocline/halocline.hpp>
#include <halocline/more/device.hpp>

#include <gtest/gtest.h>
#include <string>

/// Always where a CPU plays the device and lets the host in; elsewhere where MPI says that it can.
/// Collective over all ranks; a device is open.
inline bool mpi_takes_addresses() {
  using namespace halocline;
  static const std::string refusal = [] {
    const Grid grid(world(), {8}, {.halo = 1, .periodic = {true}});
    const Array<double> field(world(), grid.elements(), MemoryKind::device);
    try {
      Exchange(grid.halo(), field, "p2p:nonblocking+device=aware");
    } catch (const Error& problem) {
      return std::string(problem.what());
    }
    return std::string();
  }();
  if (opened_device()->is_host()) {
    EXPECT_EQ(refusal, "");
  } else if (!refusal.empty()) {
    EXPECT_NE(refusal.find("does not say that it takes addresses"), refusal.npos) << refusal;
  }
  return refusal.empty();
}
