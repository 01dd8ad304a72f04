#pragma once
// A sweep on a device, as its kernels are called.

#include <halocline/device.hpp>

#include <cstdint>

namespace laplace {

/// A box of points in two arrays of one shape on a device.
struct DeviceBox {
  const double* in = nullptr;  ///< the first point
  double* out = nullptr;
  std::int64_t plane = 0, row = 0;  ///< doubles from plane to plane, from row to row
  std::int64_t planes = 0, rows = 0, points = 0;
};

using DeviceSweep = void (*)(const DeviceBox& box, halocline::DeviceStream stream);

}  // namespace laplace
