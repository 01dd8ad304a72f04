#pragma once
// A product on a device, as its kernels are called.

#include <halocline/more/device.hpp>

#include <cstdint>

namespace spmv {

/// Rows of any format on a device. CRS is SELL of slices of one row.
struct DeviceRows {
  const double* values = nullptr;
  const std::int32_t* columns = nullptr;
  const std::int64_t* ends = nullptr;  ///< of each slice's stored entries
  const std::int32_t* rows = nullptr;  ///< as they follow each other in the slices
  std::int64_t count = 0, height = 1;  ///< rows; of a slice
};

using DeviceMultiply = void (*)(const DeviceRows& rows, const double* x, double* y,
                                halocline::DeviceStream stream);

}  // namespace spmv
