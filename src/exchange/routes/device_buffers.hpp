#pragma once
// What an exchange has on a device: buffers, a stream, and the cells that are packed.

#include "exchange/core/method.hpp"

#include <halocline/more/device.hpp>

#include <algorithm>
#include <memory>
#include <vector>

namespace halocline::detail {

/// What a device holds until the end of its owner.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(Device& device, std::size_t bytes, bool for_peers = false)
      : bytes_(bytes),
        data_(device.allocate(std::max<std::size_t>(bytes, 8), for_peers), {&device}) {}
  std::byte* data() const noexcept { return static_cast<std::byte*>(data_.get()); }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  struct Free {
    Device* device;
    void operator()(void* data) const { device->free(data); }
  };
  std::size_t bytes_ = 0;
  std::unique_ptr<void, Free> data_;
};

/// Memory of the host, its own or what is given, that the device copies from and to directly.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  PinnedMemory(Device& device, std::size_t bytes)
      : data_(device.allocate_pinned(bytes), {&device, true}) {}
  PinnedMemory(Device& device, void* given, std::size_t bytes) {
    device.pin(given, bytes);
    data_ = {given, {&device, false}};
  }
  void* data() const noexcept { return data_.get(); }

 private:
  struct Unpin {
    Device* device;
    bool own;
    void operator()(void* data) const { own ? device->free_pinned(data) : device->unpin(data); }
  };
  std::unique_ptr<void, Unpin> data_;
};

class OwnStream {
 public:
  explicit OwnStream(Device& device) : device_(device), stream_(device.make_stream()) {}
  ~OwnStream() { device_.free_stream(stream_); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  operator DeviceStream() const noexcept { return stream_; }

 private:
  Device& device_;
  DeviceStream stream_;
};

/// The cells of some links, one after the other, as the device finds them.
class DeviceCells {
 public:
  DeviceCells(Device& device, DeviceStream stream, const std::vector<Layout>& layouts,
              const Bases& bases)
      : device_(device) {
    std::int64_t unit = 8;
    const auto fits = [&](std::int64_t number) {
      while (number % unit != 0) unit = unit == 8 ? 4 : 1;
    };
    for (const Layout& layout : layouts)
      for (const Piece& piece : layout.pieces()) {
        fits(reinterpret_cast<std::intptr_t>(bases[static_cast<std::size_t>(piece.field)]) +
             piece.offset);
        fits(piece.row_bytes);
        if (piece.rows > 1) fits(piece.row_stride);
        if (piece.planes > 1) fits(piece.plane_stride);
      }
    std::vector<DevicePiece> pieces;
    for (const Layout& layout : layouts)
      for (const Piece& piece : layout.pieces()) {
        if (piece.bytes() == 0) continue;
        pieces.push_back({.data = bases[static_cast<std::size_t>(piece.field)] + piece.offset,
                          .begin = words_,
                          .rows = piece.rows,
                          .words = piece.row_bytes / unit,
                          .plane_stride = piece.plane_stride,
                          .stride = piece.row_stride});
        words_ += static_cast<std::int64_t>(piece.bytes()) / unit;
      }
    word_bytes_ = static_cast<int>(unit);
    count_ = std::ssize(pieces);
    pieces_ = DeviceBuffer(device, pieces.size() * sizeof(DevicePiece));
    device.copy(pieces_.data(), pieces.data(), pieces.size() * sizeof(DevicePiece),
                DeviceCopy::to_device, stream);
    device.wait(stream);
  }

  std::size_t bytes() const { return static_cast<std::size_t>(words_ * word_bytes_); }
  void pack(void* message, DeviceStream stream) const {
    device_.pack(on_device(), count_, words_, word_bytes_, message, stream);
  }
  void unpack(const void* message, DeviceStream stream) const {
    device_.unpack(on_device(), count_, words_, word_bytes_, message, stream);
  }

 private:
  const DevicePiece* on_device() const {
    return reinterpret_cast<const DevicePiece*>(pieces_.data());
  }

  Device& device_;
  std::int64_t words_ = 0, count_ = 0;
  int word_bytes_ = 8;
  DeviceBuffer pieces_;
};

inline std::vector<std::size_t> sizes_of(const Setup& setup, const std::vector<Link>& links) {
  std::vector<std::size_t> sizes;
  for (const Link& link : links) sizes.push_back(setup.bytes(link));
  return sizes;
}

inline std::size_t sum_of(const std::vector<std::size_t>& sizes) {
  std::size_t sum = 0;
  for (const std::size_t size : sizes) sum += size;
  return sum;
}

/// What all ways have: the buffers, and who gets and gives how much of them.
struct DeviceEnds {
  DeviceEnds(Device& device_, const Setup& setup, bool for_peers)
      : device(device_),
        stream(device_),
        targets(setup.targets()),
        sources(setup.sources()),
        send_bytes(sizes_of(setup, setup.pattern.sends())),
        receive_bytes(sizes_of(setup, setup.pattern.receives())),
        out(device, sum_of(send_bytes), for_peers),
        in(device, sum_of(receive_bytes)) {}

  Device& device;
  OwnStream stream;  ///< of packing, copies and unpacking
  std::vector<int> targets, sources;
  std::vector<std::size_t> send_bytes, receive_bytes;  ///< of each link
  DeviceBuffer out, in;
};

}  // namespace halocline::detail
