// A device gathers what leaves into one buffer, and scatters what lands from another. Between the
// two a transport carries bytes from buffer to buffer, and knows nothing of cells: any scheme, on
// slots in the host's memory or in the buffers themselves, or copies from device to device.

#include "on_device.hpp"

#include "memory/cache_line.hpp"
#include "mpi/under_way.hpp"

#include <halocline/device_trace.hpp>
#include <halocline/topology.hpp>
#include <halocline/wait.hpp>

#include <dlfcn.h>
#include <algorithm>
#include <cstring>
#include <limits>

namespace halocline::detail {

namespace {

/// What a device holds until the end of its owner.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Device& device, std::size_t bytes, bool for_peers = false)
      : device_(&device),
        bytes_(bytes),
        data_(device.allocate(std::max<std::size_t>(bytes, 8), for_peers)) {}
  Buffer(Buffer&& other) noexcept { *this = std::move(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(bytes_, other.bytes_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~Buffer() {
    if (data_ != nullptr) device_->free(data_);
  }
  std::byte* data() const noexcept { return static_cast<std::byte*>(data_); }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  Device* device_ = nullptr;
  std::size_t bytes_ = 0;
  void* data_ = nullptr;
};

class Stream {
 public:
  explicit Stream(Device& device) : device_(device), stream_(device.make_stream()) {}
  ~Stream() { device_.free_stream(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator DeviceStream() const noexcept { return stream_; }

 private:
  Device& device_;
  DeviceStream stream_;
};

/// The cells of some links, one after the other, as the device finds them.
class Cells {
 public:
  Cells(Device& device, DeviceStream stream, const std::vector<Layout>& layouts, const Bases& bases)
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
    pieces_ = Buffer(device, pieces.size() * sizeof(DevicePiece));
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
  Buffer pieces_;
};

std::vector<std::size_t> sizes_of(const Setup& setup, const std::vector<Link>& links) {
  std::vector<std::size_t> sizes;
  for (const Link& link : links) sizes.push_back(link.size() * setup.element_bytes());
  return sizes;
}

std::size_t sum_of(const std::vector<std::size_t>& sizes) {
  std::size_t sum = 0;
  for (const std::size_t size : sizes) sum += size;
  return sum;
}

/// What all ways have: the buffers, and who gets and gives how much of them.
struct Ends {
  Ends(Device& device_, const Setup& setup, bool for_peers)
      : device(device_),
        stream(device_),
        targets(setup.targets()),
        sources(setup.sources()),
        leaves(sizes_of(setup, setup.pattern.sends())),
        lands(sizes_of(setup, setup.pattern.receives())),
        out(device, sum_of(leaves), for_peers),
        in(device, sum_of(lands)) {}

  Device& device;
  Stream stream;  ///< of packing, copies and unpacking
  std::vector<int> targets, sources;
  std::vector<std::size_t> leaves, lands;  ///< bytes of each link
  Buffer out, in;
};

/// Carries what is in `out` to where it lands in others' `in`.
class Transport {
 public:
  virtual ~Transport() = default;
  /// The stream fills `out`; nothing waits for it but this.
  virtual void start() = 0;
  /// When the stream has done what it is told here, `in` is filled.
  virtual void finish() = 0;
  virtual Method* method() noexcept { return nullptr; }
  bool measuring = false;
  /// Where times are kept or traced, each part is waited for, so that the next one is not taken for
  /// it.
  bool one_by_one() const noexcept { return measuring || trace::recording(); }
  DeviceTraffic traffic;
  ExchangeTimes times;

 protected:
  explicit Transport(Ends& ends) : ends_(ends) {}
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
  Ends& ends_;
};

/// The messages of links as an exchange of bytes: what leaves from 0 on, what lands from `begin`
/// on.
Pattern slots(const Ends& ends, std::size_t begin) {
  Pattern pattern;
  std::size_t at = 0;
  for (std::size_t i = 0; i < ends.leaves.size(); at += ends.leaves[i++])
    pattern.send(ends.targets[i], {static_cast<std::ptrdiff_t>(at), {1, 1, ends.leaves[i]}});
  at = begin;
  for (std::size_t i = 0; i < ends.lands.size(); at += ends.lands[i++])
    pattern.receive(ends.sources[i], {static_cast<std::ptrdiff_t>(at), {1, 1, ends.lands[i]}});
  return pattern;
}

/// By any scheme, which may be `auto`.
class ByMethod : public Transport {
 public:
  using Transport::Transport;
  Method* method() noexcept override { return method_.get(); }

 protected:
  void begin() {
    method_->measuring = measuring;
    method_->start();
  }
  void end() {
    method_->finish();
    times += std::exchange(method_->times, {});
  }
  std::unique_ptr<Method> method_;
};

/// device=staged: slots in the host's memory, which the device copies from and to.
class ByHost final : public ByMethod {
 public:
  ByHost(Ends& ends, const Setup& setup)
      : ByMethod(ends),
        scheme_(setup.scheme.without("device")),
        lands_(round_up(ends.out.bytes(), line_pair)) {
    const std::size_t bytes = std::max<std::size_t>(lands_ + ends.in.bytes(), 1);
    Field field{.element_bytes = 1, .elements = bytes};
    if (scheme_.memory() == MemoryKind::plain) {
      pinned_ = ends.device.allocate_pinned(bytes);
      field.data = pinned_;
    } else {
      memory_ = memory_for(setup.comm, bytes, scheme_);
      field.data = memory_.data();
      field.memory = memory_;
      ends.device.pin(field.data, bytes);
    }
    host_ = static_cast<std::byte*>(field.data);
    method_ = make_method({.comm = setup.comm.another(),
                           .pattern = slots(ends, lands_),
                           .fields = {field},
                           .scheme = scheme_,
                           .two_way = setup.two_way});
  }
  ~ByHost() override {
    method_.reset();
    if (pinned_ != nullptr)
      ends_.device.free_pinned(pinned_);
    else if (memory_.data() != nullptr)
      ends_.device.unpin(memory_.data());
  }

  void start() override {
    copy(host_, ends_.out.data(), ends_.out.bytes(), DeviceCopy::to_host);
    // Also for the copy to the device of the step before: its slots are filled again from now on.
    ends_.device.wait(ends_.stream);
    begin();
  }
  void finish() override {
    end();
    copy(ends_.in.data(), host_ + lands_, ends_.in.bytes(), DeviceCopy::to_device);
  }

 private:
  Scheme scheme_;
  std::size_t lands_;
  Memory memory_;
  void* pinned_ = nullptr;
  std::byte* host_ = nullptr;
};

/// Why the scheme gives MPI no addresses of devices; empty if it can.
std::string cannot_be_aware(const Scheme& scheme) {
  if (scheme.has("heads") && !scheme.is("heads", "off"))
    return "heads gather messages in the host's memory; use device=staged";
  if (facts(scheme).device_addresses) return {};
  return "it gives MPI no addresses of the fields; use device=staged";
}

/// device=aware: MPI reads and writes the buffers on the device.
class ByAwareMpi final : public ByMethod {
 public:
  ByAwareMpi(Ends& ends, const Setup& setup) : ByMethod(ends) {
    // One field whose first byte is where the one buffer begins; the other is a field of its own.
    Field out{.data = ends.out.data(), .element_bytes = 1, .elements = ends.out.bytes()};
    Field in{.data = ends.in.data(), .element_bytes = 1, .elements = ends.in.bytes()};
    const Scheme scheme = setup.scheme.without("device");
    method_ = find_method(scheme.method())
                  ->make({.comm = setup.comm.another(),
                          .pattern = slots(ends, 0),
                          .fields = {out, in},
                          .scheme = scheme,
                          .two_way = setup.two_way,
                          .apart = true});
  }
  void start() override {
    ends_.device.wait(ends_.stream);
    begin();
  }
  void finish() override { end(); }
};

/// device=peer: those that receive copy from the senders' buffers, between two empty messages.
class ByPeers final : public Transport {
 public:
  ByPeers(Ends& ends, const Setup& setup) : Transport(ends), setup_(setup) {
    constexpr std::size_t each = sizeof(DeviceHandle) / sizeof(std::int64_t) + 2;
    std::vector<std::int64_t> mine;
    const DeviceHandle handle = ends.device.share(ends.out.data());
    std::size_t at = 0;
    for (const std::size_t bytes : ends.leaves) {
      std::int64_t words[each];
      std::memcpy(words, handle.data(), sizeof handle);
      words[each - 2] = static_cast<std::int64_t>(at);
      words[each - 1] = static_cast<std::int64_t>(ends.out.bytes());
      mine.insert(mine.end(), words, words + each);
      at += bytes;
    }
    const std::vector<std::int64_t> theirs =
        trade(setup.comm, ends.targets, mine, ends.sources, each);
    std::string why;
    for (std::size_t i = 0; i < ends.sources.size() && why.empty(); ++i) {
      const std::int64_t* const words = theirs.data() + i * each;
      DeviceHandle other;
      std::memcpy(other.data(), words, sizeof other);
      try {
        const auto bytes = static_cast<std::size_t>(words[each - 1]);
        peers_.push_back(
            {ends.device.reach(other, bytes), bytes, static_cast<std::size_t>(words[each - 2])});
      } catch (const std::runtime_error& problem) {
        why = problem.what();
      }
    }
    mpi::agree(setup.comm, why.empty() ? "" : setup.scheme.str() + ": " + why);
  }
  ~ByPeers() override {
    for (const Peer& peer : peers_) ends_.device.leave(peer.memory, peer.bytes);
  }

  void start() override {
    filled_ = {UnderWay::receives, ends_.sources.size()};
    read_ = {UnderWay::receives, 0};
    sent_ = {UnderWay::others, 0};
    for (std::size_t i = 0; i < ends_.sources.size(); ++i)
      HALOCLINE_MPI(MPI_Irecv, nullptr, 0, MPI_BYTE, ends_.sources[i], setup_.comm.tag(0),
                    setup_.comm, &filled_[i]);
    for (const int target : ends_.targets)
      HALOCLINE_MPI(MPI_Irecv, nullptr, 0, MPI_BYTE, target, setup_.comm.tag(1), setup_.comm,
                    &read_.add());
    ends_.device.wait(ends_.stream);
    for (const int target : ends_.targets)
      HALOCLINE_MPI(MPI_Isend, nullptr, 0, MPI_BYTE, target, setup_.comm.tag(0), setup_.comm,
                    &sent_.add());
  }

  void finish() override {
    std::vector<std::size_t> begins;
    std::size_t at = 0;
    for (const std::size_t bytes : ends_.lands) begins.push_back(std::exchange(at, at + bytes));
    for (std::size_t left = filled_.size(); left > 0; --left) {
      const auto link = static_cast<std::size_t>([&] {
        const Timed time(Activity::wait, measuring, times.wait);
        return wait_any("device=peer", filled_);
      }());
      copy(ends_.in.data() + begins[link],
           static_cast<const std::byte*>(peers_[link].memory) + peers_[link].begin,
           ends_.lands[link], DeviceCopy::within);
    }
    ends_.device.wait(ends_.stream);
    for (const int source : ends_.sources)
      HALOCLINE_MPI(MPI_Isend, nullptr, 0, MPI_BYTE, source, setup_.comm.tag(1), setup_.comm,
                    &sent_.add());
    const Timed time(Activity::wait, measuring, times.wait);
    wait_all("device=peer", read_);
    wait_all("device=peer", sent_);
  }

 private:
  struct Peer {
    void* memory;
    std::size_t bytes, begin;  // of its buffer, and where mine begins in it
  };
  const Setup& setup_;
  std::vector<Peer> peers_;
  UnderWay filled_, read_, sent_;
};

/// Why peers cannot be reached; empty if they can. Collective.
std::string cannot_reach_peers(const Device& device, const Setup& setup) {
  std::string why;
  if (!device.has_peers()) {
    why = "no process reaches another one's memory on " + device.describe();
  } else {
    const Islands node(setup.comm);
    const std::vector<int> sources = setup.sources();
    const std::vector<int> there =
        mpi::translate(setup.comm, std::span(sources.data(), sources.size()), node.island());
    if (std::find(there.begin(), there.end(), MPI_UNDEFINED) != there.end())
      why = "some links lead to another node";
  }
  return mpi::all_of(setup.comm, why.empty()) ? "" : why.empty() ? "another rank cannot" : why;
}

/// Carries out an exchange of test values; whether they have arrived. Collective.
bool sound(Transport& transport, Ends& ends, MPI_Comm comm) {
  const int me = mpi::rank(comm);
  const auto value = [](int from, int to, std::size_t i) {
    return static_cast<std::byte>(37 * from + 11 * to + static_cast<int>(i % 251) + 1);
  };
  std::vector<std::byte> leaves, expected, lands(ends.in.bytes());
  for (std::size_t l = 0; l < ends.leaves.size(); ++l)
    for (std::size_t i = 0; i < ends.leaves[l]; ++i)
      leaves.push_back(value(me, ends.targets[l], i));
  for (std::size_t l = 0; l < ends.lands.size(); ++l)
    for (std::size_t i = 0; i < ends.lands[l]; ++i)
      expected.push_back(value(ends.sources[l], me, i));
  ends.device.clear(ends.in.data(), ends.in.bytes(), ends.stream);
  ends.device.copy(ends.out.data(), leaves.data(), leaves.size(), DeviceCopy::to_device,
                   ends.stream);
  transport.start();
  transport.finish();
  ends.device.copy(lands.data(), ends.in.data(), lands.size(), DeviceCopy::to_host, ends.stream);
  ends.device.wait(ends.stream);
  return mpi::all_of(comm, lands == expected);
}

/// Seconds of an exchange, the least of some, on the slowest rank. Collective.
double seconds_of(Transport& transport, Ends& ends, MPI_Comm comm) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 5; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    transport.start();
    transport.finish();
    ends.device.wait(ends.stream);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    least = std::min(least, took.count());
  }
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MAX, comm);
  return least;
}

std::vector<Layout> layouts_of(const Setup& setup, const std::vector<Link>& links, bool leaving) {
  std::vector<Layout> layouts;
  for (const Link& link : links)
    layouts.push_back(leaving ? setup.leaving(link) : setup.landing(link));
  return layouts;
}

class OnDevice final : public Method {
 public:
  OnDevice(Setup s, Device& device)
      : Method(std::move(s)),
        device_(device),
        ends_(
            device, setup(),
            device.has_peers() && (scheme().is("device", "peer") || scheme().is("device", "auto"))),
        leaves_(device, ends_.stream, layouts_of(setup(), pattern().sends(), true), bases()),
        lands_(device, ends_.stream, layouts_of(setup(), pattern().receives(), false), bases()),
        from_(device, ends_.stream, {setup().leaving(pattern().copies_from())}, bases()),
        to_(device, ends_.stream, {setup().landing(pattern().copies_to())}, bases()),
        local_(device, from_.bytes()) {
    const std::string asked = scheme().option("device");
    const std::string way = asked == "auto" ? choose() : asked;
    if (!transport_) transport_ = make_transport(way);
    // What an MPI says of itself is not enough.
    if (asked == "aware" && !sound(*transport_, ends_, comm()))
      throw Error(scheme().str() +
                  ": this MPI says that it takes addresses of the device, but test values do not "
                  "arrive as they were sent (" +
                  device_.describe() + "); use device=staged");
    transport_->traffic = {};
    transport_->times = {};
    const Method* const method = transport_->method();
    become((method != nullptr ? method->setup().scheme : scheme()).with("device", way));
  }

  ~OnDevice() override {
    try {
      device_.wait(ends_.stream);
    } catch (const std::runtime_error&) {  // who looks at the cells will hear of it
    }
  }

  void start() override {
    if (stream) device_.wait(ends_.stream, device_.record(*stream));
    transport_->measuring = measuring;
    {
      const auto time = packing();
      leaves_.pack(ends_.out.data(), ends_.stream);
      if (transport_->one_by_one()) device_.wait(ends_.stream);
    }
    transport_->start();
    const auto time = packing();
    from_.pack(local_.data(), ends_.stream);
    to_.unpack(local_.data(), ends_.stream);
    if (transport_->one_by_one()) device_.wait(ends_.stream);
  }

  void finish() override {
    transport_->finish();
    {
      const auto time = packing();
      lands_.unpack(ends_.in.data(), ends_.stream);
      if (transport_->one_by_one() || !stream) device_.wait(ends_.stream);
    }
    if (stream) device_.wait(*stream, device_.record(ends_.stream));
    traffic += std::exchange(transport_->traffic, {});
    times += std::exchange(transport_->times, {});
  }

 private:
  std::unique_ptr<Transport> make_transport(const std::string& way) {
    const auto refuse = [&](const std::string& why) {
      if (!why.empty()) throw Error(scheme().with("device", way).str() + ": " + why);
    };
    if (way == "staged") return std::make_unique<ByHost>(ends_, setup());
    if (way == "aware") {
      refuse(cannot_be_aware(scheme()));
      refuse(mpi_lacks_device(device_));
      return std::make_unique<ByAwareMpi>(ends_, setup());
    }
    refuse(cannot_reach_peers(device_, setup()));
    return std::make_unique<ByPeers>(ends_, setup());
  }

  /// The fastest way of those that bring test values where they belong. The cells are not touched.
  std::string choose() {
    std::vector<std::string> ways{"staged"};
    if (cannot_be_aware(scheme()).empty() && mpi_lacks_device(device_).empty())
      ways.push_back("aware");
    if (cannot_reach_peers(device_, setup()).empty()) ways.push_back("peer");
    if (ways.size() == 1) return ways[0];
    std::string best;
    double least = std::numeric_limits<double>::infinity();
    for (const std::string& way : ways) {
      auto one = make_transport(way);
      if (!sound(*one, ends_, comm())) continue;
      const double seconds = seconds_of(*one, ends_, comm());
      if (seconds >= least) continue;
      least = seconds, best = way, transport_ = std::move(one);
    }
    if (best.empty())
      throw Error(scheme().str() + ": no way between devices brings what was sent (" +
                  device_.describe() + ")");
    return best;
  }

  Device& device_;
  Ends ends_;
  Cells leaves_, lands_, from_, to_;
  Buffer local_;
  std::unique_ptr<Transport> transport_;
};

}  // namespace

OptionFacts device_option() {
  return {"device", {"auto", "staged", "aware", "peer"}};
}

Device* device_of(const Field& field) {
  Device* const device = opened_device();
  if (device == nullptr) return nullptr;
  return field.memory.kind() == MemoryKind::device ||
                 (field.memory.data() == nullptr && device->owns(field.data))
             ? device
             : nullptr;
}

void must_be_on_host(const void* data, const std::string& who, const std::string& whose) {
  const Device* const device = opened_device();
  if (device == nullptr || !device->owns(data)) return;
  throw Error(who + ": what it is given lies on a device (" + device->describe() + "), but " +
              whose + " work on the host's memory");
}

bool on_device(const Setup& setup) {
  const auto there = std::count_if(setup.fields.begin(), setup.fields.end(),
                                   [](const Field& field) { return device_of(field) != nullptr; });
  if (there == std::ssize(setup.fields) && there > 0) return true;
  if (there > 0)
    throw Error(setup.scheme.str() + ": " + std::to_string(there) + " of " +
                std::to_string(setup.fields.size()) +
                " fields are on a device; fields that travel together lie in one memory");
  if (!setup.scheme.is("device", "auto"))
    throw Error(setup.scheme.str() +
                ": no field is on a device; allocate it as MemoryKind::device, "
                "or leave device=" +
                setup.scheme.option("device") + " out");
  return false;
}

std::unique_ptr<Method> make_on_device(Setup setup) {
  return std::make_unique<OnDevice>(std::move(setup), *opened_device());
}

std::string mpi_lacks_device(const Device& device) {
  if (device.is_host()) return {};
  const std::string backend = device.backend();
  using Query = int (*)();
  if (const auto query = reinterpret_cast<Query>(dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support"));
      backend == "cuda" && query != nullptr && query() == 1)
    return {};
  // MPI 4.1, section 12.4.3: a key of the world's communicator.
  MPI_Info info = MPI_INFO_NULL;
  char kinds[MPI_MAX_INFO_VAL + 1] = "";
  int known = 0;
  HALOCLINE_MPI(MPI_Comm_get_info, MPI_COMM_WORLD, &info);
  HALOCLINE_MPI(MPI_Info_get, info, "mpi_memory_alloc_kinds", MPI_MAX_INFO_VAL, kinds, &known);
  HALOCLINE_MPI(MPI_Info_free, &info);
  if (known != 0 && std::string(kinds).find(backend) != std::string::npos) return {};
  return "this MPI does not say that it takes addresses of " + backend +
         " devices (MPIX_Query_cuda_support, mpi_memory_alloc_kinds); use device=staged";
}

}  // namespace halocline::detail
