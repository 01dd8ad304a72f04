#pragma once
// Two arrays in turn on a device, as Jacobi's method has them, and the steps from the first port of
// a program to one that copies no more than it must.

#include <halocline/exchange.hpp>
#include <halocline/more/device.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace machine {

/// How a program's arrays and halos get to the device and back.
enum class DeviceStep {
  mapped,    ///< both arrays there and back at every sweep
  resident,  ///< they stay; the newest goes to the host and back for its halo
  update,    ///< they stay; the cells of halos are copied, row by row
  packed,    ///< they stay; halos are packed on the device, one copy each way
  overlap,   ///< the same while the inner cells are swept
  aware,     ///< they stay; MPI is given addresses of the device
};
const char* name(DeviceStep step) noexcept;
/// Throws Error naming those that there are.
DeviceStep device_step(const std::string& option, const std::string& text);

/// What the steps between sweeps took, since the arrays were uploaded.
struct DeviceUse {
  std::string device, way;  ///< which one; the scheme, with the way that messages went
  std::int64_t sweeps = 0;
  halocline::DeviceTraffic traffic;  ///< but for what is looked at or kept
  halocline::ExchangeTimes times;    ///< seconds
};

class DeviceArrays {
 public:
  /// Throws the same Error on all ranks where there is no device, or the step cannot be done.
  /// Collective.
  DeviceArrays(MPI_Comm comm, const halocline::Pattern& halo, std::size_t elements,
               const halocline::Scheme& scheme, DeviceStep step, bool measure);
  ~DeviceArrays();

  halocline::Device& device() const noexcept { return device_; }
  halocline::DeviceStream stream() const noexcept { return stream_; }
  /// On the host; what is there is current after `download` alone.
  double* host(std::size_t array) const noexcept { return host_[array].data(); }
  double* there(std::size_t array) const noexcept { return there_[array].data(); }
  /// Whether an array whose halo is right is so on the device, and not on the host.
  bool stays() const noexcept { return step_ != DeviceStep::mapped; }
  bool overlaps() const noexcept { return step_ == DeviceStep::overlap; }

  /// Both arrays, before the first sweep.
  void upload();
  /// Makes the halo of an array right, for whatever the stream is given afterwards.
  void exchange(std::size_t array);
  void start(std::size_t array);   ///< with overlap alone: after `stream` ...
  void finish(std::size_t array);  ///< ... and before what it is given next
  /// Around a sweep, or two that make up one.
  void before_sweep();
  void after_sweep();
  /// Brings an array to the host.
  void download(std::size_t array);

  DeviceUse use() const;
  std::string scheme() const { return exchanges_[0].scheme().str(); }

 private:
  using Direction = halocline::DeviceCopy;
  bool on_device() const noexcept { return step_ >= DeviceStep::packed; }
  void copy(std::size_t array, Direction direction, std::ptrdiff_t first, std::size_t count);
  void copy_rows(std::size_t array, Direction direction, const std::vector<halocline::Link>& links);
  void complete();

  halocline::Pattern halo_;
  DeviceStep step_;
  std::size_t elements_;
  bool measure_;
  std::array<halocline::Array<double>, 2> host_, there_;
  halocline::Device& device_;
  halocline::DeviceStream stream_;
  std::vector<halocline::Exchange> exchanges_;
  DeviceUse use_;
};

}  // namespace machine
