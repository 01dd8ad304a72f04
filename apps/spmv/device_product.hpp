#pragma once
// A product's rows in a device's memory.

#include "device_rows.hpp"
#include "format.hpp"

#include <halocline/array.hpp>

namespace spmv {

/// A copy of a format's rows.
class DevicePart {
 public:
  DevicePart() = default;
  DevicePart(halocline::Device& device, halocline::DeviceStream stream, const Format& format);
  const DeviceRows& rows() const noexcept { return there_; }

 private:
  DeviceRows there_;
  halocline::Array<double> values_;
  halocline::Array<std::int32_t> columns_, which_;
  halocline::Array<std::int64_t> ends_;
};

}  // namespace spmv
