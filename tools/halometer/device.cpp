// device: what lies between fields on a device and other ranks: copies to the host and back,
// packing there, and the halo of a cube as a loop on the device feels it.

#include "exchange_work.hpp"
#include "kind.hpp"

#include <halocline/grid.hpp>
#include <halocline/more/device.hpp>
#include <halocline/more/islands.hpp>

#include <algorithm>
#include <cstring>

namespace halometer {

using namespace halocline;

namespace {

Device& the_device(MPI_Comm comm) {
  std::string why;
  try {
    open_device({}, mpi::rank(Islands(comm).island()));
  } catch (const std::runtime_error& problem) {
    why = problem.what();
  }
  mpi::agree(comm, why);
  return *opened_device();
}

/// With a stream, and what it works on.
class OnDevice : public Work {
 public:
  OnDevice(MPI_Comm comm, std::size_t bytes)
      : comm_(comm),
        bytes_(bytes),
        device_(the_device(comm)),
        stream_(device_.make_stream()),
        field_(comm, bytes, MemoryKind::device) {}
  ~OnDevice() override { device_.free_stream(stream_); }

 protected:
  MPI_Comm comm_;
  std::size_t bytes_;
  Device& device_;
  DeviceStream stream_;
  Memory field_;
};

class Copies final : public OnDevice {
 public:
  Copies(MPI_Comm comm, std::size_t bytes, DeviceCopy way)
      : OnDevice(comm, bytes),
        way_(way),
        other_(way == DeviceCopy::within ? Memory(comm, bytes, MemoryKind::device) : Memory()),
        pinned_(device_.allocate_pinned(bytes)) {
    std::memset(pinned_, 0, bytes);
  }
  ~Copies() override { device_.free_pinned(pinned_); }

  void step() override {
    if (way_ == DeviceCopy::to_host)
      device_.copy(pinned_, field_.data(), bytes_, way_, stream_);
    else if (way_ == DeviceCopy::to_device)
      device_.copy(field_.data(), pinned_, bytes_, way_, stream_);
    else
      device_.copy(other_.data(), field_.data(), bytes_, way_, stream_);
    device_.wait(stream_);
  }

 private:
  DeviceCopy way_;
  Memory other_;
  void* pinned_;
};

/// A face of a cube of doubles, every double of it in a row of its own, or its rows whole.
class Packing final : public OnDevice {
 public:
  Packing(MPI_Comm comm, std::int64_t edge, bool rows, bool pack)
      : OnDevice(comm, static_cast<std::size_t>(edge * edge * edge) * sizeof(double)),
        words_(edge * edge),
        pack_(pack),
        pieces_(comm, sizeof(DevicePiece), MemoryKind::device),
        message_(comm, static_cast<std::size_t>(words_) * sizeof(double), MemoryKind::device) {
    const std::int64_t row = edge * static_cast<std::int64_t>(sizeof(double));
    const DevicePiece face{.data = field_.data(),
                           .begin = 0,
                           .rows = edge,
                           .words = rows ? edge : 1,
                           .plane_stride = edge * row,
                           .stride = row};
    device_.copy(pieces_.data(), &face, sizeof face, DeviceCopy::to_device, stream_);
    device_.wait(stream_);
  }
  void step() override {
    const auto* const pieces = reinterpret_cast<const DevicePiece*>(pieces_.data());
    if (pack_)
      device_.pack(pieces, 1, words_, sizeof(double), message_.data(), stream_);
    else
      device_.unpack(pieces, 1, words_, sizeof(double), message_.data(), stream_);
    device_.wait(stream_);
  }

 private:
  std::int64_t words_;
  bool pack_;
  Memory pieces_, message_;
};

/// The loop reads a field and writes another one, as a sweep does, in the stream that the exchange
/// follows.
class HaloThere final : public OnDevice {
 public:
  HaloThere(MPI_Comm comm, const Pattern& pattern, std::size_t elements, const Scheme& scheme)
      : OnDevice(comm, elements * sizeof(double)),
        pattern_(pattern),
        before_(comm, bytes_, MemoryKind::device),
        exchange_(comm, pattern, field(), scheme) {}

  void step() override { exchange_.run(); }
  bool has_loop() const override { return true; }
  void loop(std::size_t steps, bool exchanging) override {
    for (; steps > 0; --steps) {
      device_.copy(field_.data(), before_.data(), bytes_, DeviceCopy::within, stream_);
      if (!exchanging) continue;
      exchange_.start(stream_);
      exchange_.finish(stream_);
    }
    device_.wait(stream_);
  }

  std::string check() override {
    const std::size_t count = bytes_ / sizeof(double);
    const Array<double> host(comm_, count);
    for (std::size_t i = 0; i < count; ++i)
      host[i] = static_cast<double>(i) + 1e6 * (mpi::rank(comm_) + 1);
    const auto copy = [&](void* to, const void* from, DeviceCopy way) {
      device_.copy(to, from, bytes_, way, stream_);
      device_.wait(stream_);
    };
    copy(field_.data(), host.data(), DeviceCopy::to_device);
    exchange_.run();
    Exchange(comm_, pattern_, host, "p2p:nonblocking").run();
    std::vector<double> there(count);
    copy(there.data(), field_.data(), DeviceCopy::to_host);
    return std::memcmp(there.data(), host.data(), bytes_) == 0
               ? ""
               : "the halo on the device is not that of the host";
  }

 private:
  Field field() const {
    return {field_.data(), sizeof(double), bytes_ / sizeof(double), field_, Number::float64};
  }

  Pattern pattern_;
  Memory before_;
  Exchange exchange_;
};

class OfDevice final : public Kind {
 public:
  std::string name() const override { return "device"; }
  std::string summary() const override {
    return "fields on a device: copies, packing, and the halo felt there";
  }
  std::string default_schemes() const override {
    return "p2p:nonblocking+device=staged,shm:signal+device=staged,rma:put:flush+device=staged,"
           "p2p:nonblocking+device=peer,p2p:nonblocking+device=aware";
  }

  void declare(frame::Arguments& app) override {
    add_sizes(app, "--sizes", sizes_, "bytes of a copy");
    app.option("--edge", edges_, "cells along each side of a rank's cube, in doubles")
        .with_commas()
        .range(2, 1024)
        .shows_default();
  }

  std::vector<Group> groups(MPI_Comm comm, const std::string& patterns) override {
    const std::string device = the_device(comm).describe();
    const std::vector<Scheme> schemes = chosen_schemes(patterns);
    std::vector<Group> groups;
    for (const std::size_t bytes : sizes_) groups.push_back(copies(comm, device, bytes));
    for (const int edge : edges_) {
      groups.push_back(packing(comm, device, edge));
      groups.push_back(halo(comm, device, edge, schemes));
    }
    return groups;
  }

 private:
  static Group copies(MPI_Comm comm, const std::string& device, std::size_t bytes) {
    Group group{.title = "copies of " + shown_bytes(bytes) + ", " + device};
    for (const auto& [name, way] :
         {std::pair{"to_host", DeviceCopy::to_host}, std::pair{"to_device", DeviceCopy::to_device},
          std::pair{"within", DeviceCopy::within}})
      group.contenders.push_back({.scheme = name,
                                  .parameters = {{"device", device}, {"size", bytes}},
                                  .bytes = static_cast<double>(bytes),
                                  .make = [=, way = way]() -> std::unique_ptr<Work> {
                                    return std::make_unique<Copies>(comm, bytes, way);
                                  }});
    return group;
  }

  static Group packing(MPI_Comm comm, const std::string& device, int edge) {
    Group group{.title = "faces of a cube of " + std::to_string(edge) + ", " + device};
    for (const bool pack : {true, false})
      for (const bool rows : {false, true})
        group.contenders.push_back(
            {.scheme = std::string(pack ? "pack" : "unpack") + (rows ? "_rows" : "_points"),
             .parameters = {{"device", device}, {"edge", edge}},
             .bytes = sizeof(double) * static_cast<double>(edge) * edge,
             .make = [=]() -> std::unique_ptr<Work> {
               return std::make_unique<Packing>(comm, edge, rows, pack);
             }});
    return group;
  }

  static Group halo(MPI_Comm comm, const std::string& device, int edge,
                    const std::vector<Scheme>& schemes) {
    std::vector<int> dims(3, 0);
    HALOCLINE_MPI(MPI_Dims_create, mpi::size(comm), 3, dims.data());
    std::vector<std::int64_t> cells;
    for (const int parts : dims) cells.push_back(static_cast<std::int64_t>(edge) * parts);
    const Grid grid(comm, cells, {.corners = false, .dims = dims});
    const Pattern pattern = grid.halo();
    Group group{.title = "halo of a cube of " + std::to_string(edge) + ", " + device};
    for (const Scheme& scheme : schemes)
      group.contenders.push_back(
          {.scheme = scheme.str(),
           .parameters = {{"device", device}, {"edge", edge}},
           .bytes = busiest_bytes(comm, pattern, sizeof(double)),
           .make = [=, elements = grid.elements()]() -> std::unique_ptr<Work> {
             return std::make_unique<HaloThere>(comm, pattern, elements, scheme);
           }});
    return group;
  }

  std::vector<std::size_t> sizes_{4096, 1 << 20, 1 << 26};
  std::vector<int> edges_{64};
};

}  // namespace

std::unique_ptr<Kind> device() {
  return std::make_unique<OfDevice>();
}

}  // namespace halometer
