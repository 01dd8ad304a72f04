#pragma once
// How messages travel from one buffer on a device to another.

#include "device_buffers.hpp"

#include <halocline/more/device_trace.hpp>

#include <memory>
#include <string>

namespace halocline::detail {

/// Carries what is in `out` to its places in others' `in`.
class Transport {
 public:
  virtual ~Transport() = default;
  /// The stream fills `out`; nothing waits for it but this.
  virtual void start() = 0;
  /// When the stream has done what it is given here, `in` is filled.
  virtual void finish() = 0;
  virtual Method* method() noexcept { return nullptr; }
  bool measuring = false;
  /// Where times are kept or traced, each part is waited for, so that the next one is not taken for
  /// it.
  bool one_by_one() const noexcept { return measuring || trace::recording(); }
  DeviceTraffic traffic;
  ExchangeTimes times;

 protected:
  explicit Transport(DeviceEnds& ends) : ends_(ends) {}
  void copy(void* to, const void* from, std::size_t bytes, DeviceCopy way) {
    if (bytes == 0) return;
    const Timed time(Activity::transfer, measuring, times.copy);
    const trace::Copy traced(way, bytes);
    ends_.device.copy(to, from, bytes, way, ends_.stream);
    if (one_by_one()) ends_.device.wait(ends_.stream);
    ++traffic.copies;
    (way == DeviceCopy::to_host     ? traffic.to_host
     : way == DeviceCopy::to_device ? traffic.to_device
                                    : traffic.within) += bytes;
  }
  DeviceEnds& ends_;
};

/// By `way`: staged, aware or peer. Collective. Throws Error naming the scheme where it cannot be.
std::unique_ptr<Transport> make_transport(const std::string& way, DeviceEnds& ends,
                                          const Setup& setup);
/// The ways that there are here. Collective.
std::vector<std::string> transports(const DeviceEnds& ends, const Setup& setup);

}  // namespace halocline::detail
