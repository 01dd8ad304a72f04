#pragma once
// Devices: accelerators with memory of their own. This header knows neither MPI nor any device's
// language. A back end is one file behind it, compiled to a shared library that is loaded on
// demand.

#include <halocline/device_stream.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#pragma GCC visibility push(default)

namespace halocline {

/// A mark in a stream that another one, or the host, can wait for.
using DeviceEvent = void*;

/// Which way a copy goes.
enum class DeviceCopy { to_device, to_host, within };

/// A box of words of some size on a device, and where its first one is in a message: what a device
/// packs and unpacks.
struct DevicePiece {
  std::byte* data = nullptr;                  ///< the first word
  std::int64_t begin = 0;                     ///< its number in the message
  std::int64_t rows = 1, words = 1;           ///< of a plane, of a row
  std::int64_t plane_stride = 0, stride = 0;  ///< bytes from plane to plane, from row to row
};

/// What another process needs to reach memory of this one.
using DeviceHandle = std::array<std::byte, 64>;

/// One device of this process. Calls that take a stream return before the work is done; those of
/// one stream happen in order. A failure throws std::runtime_error, in calls with a stream perhaps
/// only in a later one.
class Device {
 public:
  virtual ~Device() = default;

  /// "cuda: NVIDIA H100 80GB HBM3, 0 of 4"
  virtual std::string describe() const = 0;
  /// "openmp" or "cuda".
  virtual std::string backend() const = 0;
  /// True if the device computes on the host's own memory (a CPU that plays a device), so that host
  /// code and MPI can read its arrays.
  virtual bool is_host() const = 0;

  /// Uninitialised. With `for_peers` other processes of the node can reach it (`share`).
  virtual void* allocate(std::size_t bytes, bool for_peers = false) = 0;
  virtual void free(void* memory) noexcept = 0;
  /// Memory of the host that the device copies from and to without a stop.
  virtual void* allocate_pinned(std::size_t bytes) = 0;
  virtual void free_pinned(void* memory) noexcept = 0;
  /// The same for existing memory, if possible.
  virtual void pin(void* memory, std::size_t bytes) noexcept = 0;
  virtual void unpin(void* memory) noexcept = 0;
  /// Whether an address lies in memory of this device.
  virtual bool owns(const void* address) const = 0;

  virtual DeviceStream make_stream() = 0;
  virtual void free_stream(DeviceStream stream) noexcept = 0;
  /// Waits until all work of the stream is done.
  virtual void wait(DeviceStream stream) = 0;
  /// A mark behind all work that is in the stream now.
  virtual DeviceEvent record(DeviceStream stream) = 0;
  /// Work put into the stream from now on begins after the event, which this call frees.
  virtual void wait(DeviceStream stream, DeviceEvent event) = 0;

  virtual void copy(void* to, const void* from, std::size_t bytes, DeviceCopy way,
                    DeviceStream stream) = 0;
  virtual void clear(void* memory, std::size_t bytes, DeviceStream stream) = 0;
  /// Gathers `words` words of `word_bytes` (1, 4 or 8) from the pieces into a message, or scatters
  /// them. Pieces and message are on the device; the pieces' beginnings ascend from 0.
  virtual void pack(const DevicePiece* pieces, std::int64_t count, std::int64_t words,
                    int word_bytes, void* message, DeviceStream stream) = 0;
  virtual void unpack(const DevicePiece* pieces, std::int64_t count, std::int64_t words,
                      int word_bytes, const void* message, DeviceStream stream) = 0;

  /// The sum of numbers on the device: of 1024 parts, each added up in order, and then these. The
  /// same bits on every device. Waits.
  virtual double sum(const double* numbers, std::int64_t count, DeviceStream stream) = 0;
  /// The largest magnitude of numbers on the device, 0 of none. Waits.
  virtual double largest(const double* numbers, std::int64_t count, DeviceStream stream) = 0;

  /// Whether processes of one node can reach each other's memory on devices.
  virtual bool has_peers() const = 0;
  /// A handle by which peers open this memory, which was allocated for them.
  virtual DeviceHandle share(const void* memory) = 0;
  virtual void* open(const DeviceHandle& handle, std::size_t bytes) = 0;
  virtual void close(void* memory, std::size_t bytes) noexcept = 0;

  /// A function of the shared library lib<name>_<back end>.so with kernels for this device, in the
  /// folder of the back ends.
  void* kernel(const std::string& library, const std::string& function) const;
};

/// The device of this process. The first call decides: `name` is "openmp", "cuda", or empty for the
/// environment's HALOCLINE_DEVICE, or the first back end that finds a device; the device is that of
/// number `rank` among as many as there are, in turn. Throws std::runtime_error that says what each
/// back end lacks. A device once opened stays until the process ends.
Device& open_device(const std::string& name = {}, int rank = 0);
/// Null if none has been opened.
Device* opened_device() noexcept;

}  // namespace halocline

#pragma GCC visibility pop
