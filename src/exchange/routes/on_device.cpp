// A device packs what it sends into one buffer, and unpacks what it receives from another. Between
// the two a transport carries bytes from buffer to buffer, and knows nothing of cells: any scheme,
// on slots in the host's memory or in the buffers themselves, or copies from device to device.

#include "on_device.hpp"

#include "device_transport.hpp"
#include "mpi/collectives.hpp"

#include <halocline/more/waiting.hpp>

#include <algorithm>
#include <limits>

namespace halocline::detail {

namespace {

/// Carries out an exchange of test values; whether they have arrived. Collective.
bool sound(Transport& transport, DeviceEnds& ends, MPI_Comm comm) {
  const int me = mpi::rank(comm);
  const auto value = [](int from, int to, std::size_t i) {
    return static_cast<std::byte>(37 * from + 11 * to + static_cast<int>(i % 251) + 1);
  };
  std::vector<std::byte> sent, expected, received(ends.in.bytes());
  for (std::size_t l = 0; l < ends.send_bytes.size(); ++l)
    for (std::size_t i = 0; i < ends.send_bytes[l]; ++i)
      sent.push_back(value(me, ends.targets[l], i));
  for (std::size_t l = 0; l < ends.receive_bytes.size(); ++l)
    for (std::size_t i = 0; i < ends.receive_bytes[l]; ++i)
      expected.push_back(value(ends.sources[l], me, i));
  ends.device.clear(ends.in.data(), ends.in.bytes(), ends.stream);
  ends.device.copy(ends.out.data(), sent.data(), sent.size(), DeviceCopy::to_device, ends.stream);
  transport.start();
  transport.finish();
  ends.device.copy(received.data(), ends.in.data(), received.size(), DeviceCopy::to_host,
                   ends.stream);
  ends.device.wait(ends.stream);
  return mpi::all_of(comm, received == expected);
}

/// Seconds of an exchange, the least of some, on the slowest rank. Collective.
double seconds_of(Transport& transport, DeviceEnds& ends, MPI_Comm comm) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 5; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    transport.start();
    transport.finish();
    ends.device.wait(ends.stream);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    least = std::min(least, took.count());
  }
  return mpi::reduced(comm, least, MPI_MAX);
}

std::vector<Layout> layouts_of(const Setup& setup, const std::vector<Link>& links, bool send) {
  std::vector<Layout> layouts;
  for (const Link& link : links)
    layouts.push_back(send ? setup.send_layout(link) : setup.receive_layout(link));
  return layouts;
}

/// What an exchange has on its device.
struct There {
  There(Device& device, const Setup& setup, const Bases& bases)
      : ends(device, setup,
             device.has_peers() &&
                 (setup.scheme.is("device", "peer") || setup.scheme.is("device", "auto"))),
        sent(device, ends.stream, layouts_of(setup, setup.pattern.sends(), true), bases),
        received(device, ends.stream, layouts_of(setup, setup.pattern.receives(), false), bases),
        from(device, ends.stream, {setup.send_layout(setup.pattern.copies_from())}, bases),
        to(device, ends.stream, {setup.receive_layout(setup.pattern.copies_to())}, bases),
        local(device, from.bytes()) {}

  DeviceEnds ends;
  DeviceCells sent, received, from, to;
  DeviceBuffer local;
};

/// A device may have no memory left for one rank alone. Collective.
std::unique_ptr<There> make_there(Device& device, const Setup& setup, const Bases& bases) {
  std::unique_ptr<There> there;
  mpi::together(setup.comm, [&] { there = std::make_unique<There>(device, setup, bases); });
  return there;
}

class OnDevice final : public Method {
 public:
  OnDevice(Setup s, Device& device)
      : Method(std::move(s)), device_(device), there_(make_there(device, setup(), bases())) {
    const std::string asked = scheme().option("device");
    const std::string way = asked == "auto" ? choose() : asked;
    if (!transport_) transport_ = make_transport(way, ends_, setup());
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
    } catch (const std::runtime_error&) {  // whoever looks at the cells will learn of it
    }
  }

  void start() override {
    if (stream) device_.wait(ends_.stream, device_.record(*stream));
    transport_->measuring = measuring;
    {
      const auto time = packing();
      sent_.pack(ends_.out.data(), ends_.stream);
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
      received_.unpack(ends_.in.data(), ends_.stream);
      if (transport_->one_by_one() || !stream) device_.wait(ends_.stream);
    }
    if (stream) device_.wait(*stream, device_.record(ends_.stream));
    traffic += std::exchange(transport_->traffic, {});
    times += std::exchange(transport_->times, {});
  }

 private:
  /// The fastest way of those that bring test values where they belong. The cells are not touched.
  std::string choose() {
    const std::vector<std::string> ways = transports(ends_, setup());
    if (ways.size() == 1) return ways[0];
    std::string best;
    double least = std::numeric_limits<double>::infinity();
    for (const std::string& way : ways) {
      auto one = make_transport(way, ends_, setup());
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
  std::unique_ptr<There> there_;
  DeviceEnds& ends_ = there_->ends;
  DeviceCells &sent_ = there_->sent, &received_ = there_->received, &from_ = there_->from,
              &to_ = there_->to;
  DeviceBuffer& local_ = there_->local;
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

}  // namespace halocline::detail
