#pragma once
// Copies between host and device in traces, named by their direction.

#include <halocline/more/device.hpp>
#include <halocline/more/events.hpp>

#pragma GCC visibility push(default)

namespace halocline::trace {

/// "to host", "to device" or "between devices".
constexpr const char* name(DeviceCopy way) noexcept {
  return way == DeviceCopy::to_host     ? "to host"
         : way == DeviceCopy::to_device ? "to device"
                                        : "between devices";
}

/// A copy of so many bytes, as long as this object lives: Activity::copy by the name of its
/// direction. While tracing, wait for the copy; otherwise the trace shows only its start.
class Copy {
 public:
  Copy(DeviceCopy way, std::size_t bytes) noexcept
      : event_(Activity::copy, nobody, bytes, number_of(way)) {}

 private:
  static std::uint16_t number_of(DeviceCopy way) noexcept {
    detail::Thread* const thread = recording() ? detail::thread() : nullptr;
    return thread == nullptr ? std::uint16_t{0} : thread->number_of(name(way));
  }
  Event event_;
};

}  // namespace halocline::trace

#pragma GCC visibility pop
