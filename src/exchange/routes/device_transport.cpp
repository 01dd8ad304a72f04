#include "device_transport.hpp"

#include "exchange/core/registry.hpp"
#include "exchange/core/trade.hpp"
#include "memory/cache_line.hpp"
#include "mpi/under_way.hpp"
#include "on_device.hpp"

#include <halocline/more/islands.hpp>
#include <halocline/more/waiting.hpp>

#include <dlfcn.h>
#include <cstring>

namespace halocline::detail {

namespace {

/// The messages of links as an exchange of bytes: what is sent from 0 on, what is received from
/// `begin` on.
Pattern message_slots(const DeviceEnds& ends, std::size_t begin) {
  Pattern pattern;
  std::size_t at = 0;
  for (std::size_t i = 0; i < ends.send_bytes.size(); at += ends.send_bytes[i++])
    pattern.send(ends.targets[i], {static_cast<std::ptrdiff_t>(at), {1, 1, ends.send_bytes[i]}});
  at = begin;
  for (std::size_t i = 0; i < ends.receive_bytes.size(); at += ends.receive_bytes[i++])
    pattern.receive(ends.sources[i],
                    {static_cast<std::ptrdiff_t>(at), {1, 1, ends.receive_bytes[i]}});
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
  ByHost(DeviceEnds& ends, const Setup& setup)
      : ByMethod(ends),
        scheme_(setup.scheme.without("device")),
        receive_at_(round_up(ends.out.bytes(), line_pair)) {
    const std::size_t bytes = std::max<std::size_t>(receive_at_ + ends.in.bytes(), 1);
    Field field{.element_bytes = 1, .elements = bytes};
    if (scheme_.memory() != MemoryKind::plain)
      field.memory = memory_ = memory_for(setup.comm, bytes, scheme_);
    mpi::together(setup.comm, [&] {
      pinned_ = memory_.data() == nullptr ? PinnedMemory(ends.device, bytes)
                                          : PinnedMemory(ends.device, memory_.data(), bytes);
    });
    field.data = pinned_.data();
    host_ = static_cast<std::byte*>(field.data);
    method_ = make_method({.comm = setup.comm.another(),
                           .pattern = message_slots(ends, receive_at_),
                           .fields = {field},
                           .scheme = scheme_,
                           .two_way = setup.two_way});
  }
  ~ByHost() override { method_.reset(); }

  void start() override {
    copy(host_, ends_.out.data(), ends_.out.bytes(), DeviceCopy::to_host);
    // Also for the copy to the device of the step before: its slots are filled again from now on.
    ends_.device.wait(ends_.stream);
    begin();
  }
  void finish() override {
    end();
    copy(ends_.in.data(), host_ + receive_at_, ends_.in.bytes(), DeviceCopy::to_device);
  }

 private:
  Scheme scheme_;
  std::size_t receive_at_;
  Memory memory_;
  PinnedMemory pinned_;
  std::byte* host_ = nullptr;
};

/// device=aware: MPI reads and writes the buffers on the device.
class ByAwareMpi final : public ByMethod {
 public:
  ByAwareMpi(DeviceEnds& ends, const Setup& setup) : ByMethod(ends) {
    // One field whose first byte is where the one buffer begins; the other is a field of its own.
    Field out{.data = ends.out.data(), .element_bytes = 1, .elements = ends.out.bytes()};
    Field in{.data = ends.in.data(), .element_bytes = 1, .elements = ends.in.bytes()};
    const Scheme scheme = setup.scheme.without("device");
    method_ = find_method(scheme.method())
                  ->make({.comm = setup.comm.another(),
                          .pattern = message_slots(ends, 0),
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
  ByPeers(DeviceEnds& ends, const Setup& setup) : Transport(ends), setup_(setup) {
    constexpr std::size_t each = sizeof(DeviceHandle) / sizeof(std::int64_t) + 2;
    std::vector<std::int64_t> mine;
    DeviceHandle handle{};
    mpi::together(setup.comm, [&] { handle = ends.device.share(ends.out.data()); });
    std::size_t at = 0;
    for (const std::size_t bytes : ends.send_bytes) {
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
            {ends.device.open(other, bytes), bytes, static_cast<std::size_t>(words[each - 2])});
      } catch (const std::runtime_error& problem) {
        why = problem.what();
      }
    }
    mpi::agree(setup.comm, why.empty() ? "" : setup.scheme.str() + ": " + why);
  }
  ~ByPeers() override {
    for (const Peer& peer : peers_) ends_.device.close(peer.memory, peer.bytes);
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
    for (const std::size_t bytes : ends_.receive_bytes)
      begins.push_back(std::exchange(at, at + bytes));
    for (std::size_t left = filled_.size(); left > 0; --left) {
      const auto link = static_cast<std::size_t>([&] {
        const Timed time(Activity::wait, measuring, times.wait);
        return wait_any("device=peer", filled_);
      }());
      copy(ends_.in.data() + begins[link],
           static_cast<const std::byte*>(peers_[link].memory) + peers_[link].begin,
           ends_.receive_bytes[link], DeviceCopy::within);
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

/// Why the scheme gives MPI no addresses of devices; empty if it can.
std::string cannot_be_aware(const Scheme& scheme) {
  if (scheme.has("heads") && !scheme.is("heads", "off"))
    return "heads gather messages in the host's memory; use device=staged";
  if (facts(scheme).device_addresses) return {};
  return "it gives MPI no addresses of the fields; use device=staged";
}

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

}  // namespace

std::unique_ptr<Transport> make_transport(const std::string& way, DeviceEnds& ends,
                                          const Setup& setup) {
  const auto refuse = [&](const std::string& why) {
    if (!why.empty()) throw Error(setup.scheme.with("device", way).str() + ": " + why);
  };
  if (way == "staged") return std::make_unique<ByHost>(ends, setup);
  if (way == "aware") {
    refuse(cannot_be_aware(setup.scheme));
    refuse(mpi_lacks_device(ends.device));
    return std::make_unique<ByAwareMpi>(ends, setup);
  }
  refuse(cannot_reach_peers(ends.device, setup));
  return std::make_unique<ByPeers>(ends, setup);
}

std::vector<std::string> transports(const DeviceEnds& ends, const Setup& setup) {
  std::vector<std::string> ways{"staged"};
  if (cannot_be_aware(setup.scheme).empty() && mpi_lacks_device(ends.device).empty())
    ways.push_back("aware");
  if (cannot_reach_peers(ends.device, setup).empty()) ways.push_back("peer");
  return ways;
}

std::string mpi_lacks_device(const Device& device) {
  if (device.is_host()) return {};
  const std::string backend = device.backend();
  using Query = int (*)();
  if (const auto query = reinterpret_cast<Query>(dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support"));
      backend == "cuda" && query != nullptr && query() == 1)
    return {};
  // MPI 4.1, section 12.4.3: a key of the world's communicator.
  if (!mpi::detail::world_is_there())
    return "a program of sessions alone does not tell the kinds of memory that MPI takes; use "
           "device=staged";
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
