#pragma once
// A sweep and the residual on a device, as the kernels are called.

#include <numerics/device_sum.hpp>

#include <halocline/more/device.hpp>

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
/// Adds the squares of the residuals of `in`, as squared_residual() sums them up.
using DeviceResidual = void (*)(const DeviceBox& box, const numerics::DeviceLimbs& into,
                                halocline::DeviceStream stream);

}  // namespace laplace
