#pragma once
// A Jacobi sweep on a device, as its kernels are called.

#include <halocline/more/device.hpp>

#include <cstdint>

namespace partdiff {

/// A rectangle of points in two arrays of one shape on a device.
struct DevicePatch {
  const double* in = nullptr;  ///< the first point
  double* out = nullptr;
  std::int64_t stride = 0;  ///< from row to row
  std::int64_t rows = 0, columns = 0;
  const double* row_source = nullptr;  ///< on the device, too; null for f = 0
  const double* column_source = nullptr;
};

using DeviceJacobi = void (*)(const DevicePatch& patch, halocline::DeviceStream stream);
/// The largest change of a sweep that has been made. Waits.
using DeviceChange = double (*)(const DevicePatch& patch, halocline::DeviceStream stream);

}  // namespace partdiff
