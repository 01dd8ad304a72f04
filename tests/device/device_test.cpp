// Fields on a device: whatever carries the messages, the bytes are those of an exchange on the
// host, and no more are copied than the halos have.

#include "common/complaint.hpp"
#include "device/aware.hpp"

#include <halocline/halocline.hpp>
#include <halocline/more/async_exchange.hpp>
#include <halocline/more/device.hpp>
#include <halocline/more/islands.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/more/section.hpp>
#include <halocline/more/tuner.hpp>

#include <gtest/gtest.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <future>
#include <numeric>
#include <random>
#include <set>
#include <thread>

using namespace halocline;

namespace {

/// While it is set, this MPI says that it takes addresses of devices and sends something else.
bool mpi_lies = false;

}  // namespace

extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int target, int tag,
                         MPI_Comm comm, MPI_Request* request) {
  static const std::vector<std::byte> nonsense(1 << 20);
  const bool on_device = opened_device() != nullptr && opened_device()->owns(data);
  return PMPI_Isend(mpi_lies && on_device ? nonsense.data() : data, count, type, target, tag, comm,
                    request);
}

namespace {

/// Null, and the test is skipped, where there is none: then the reason must name what was asked
/// for.
Device* device() {
  static std::string why;
  static Device* const found = []() -> Device* {
    try {
      return &open_device({}, mpi::rank(Islands(world()).island()));
    } catch (const std::runtime_error& problem) {
      why = problem.what();
      return nullptr;
    }
  }();
  if (found == nullptr) {
    EXPECT_NE(why.find("there is no device"), why.npos) << why;
  }
  return found;
}

#define NEEDS_DEVICE() \
  if (device() == nullptr) GTEST_SKIP() << "there is no such device"

struct Stream {
  DeviceStream stream = device()->make_stream();
  ~Stream() { device()->free_stream(stream); }
  operator DeviceStream() const { return stream; }
};

template <class T>
void put(const std::vector<T>& from, T* to) {
  const Stream stream;
  device()->copy(to, from.data(), from.size() * sizeof(T), DeviceCopy::to_device, stream);
  device()->wait(stream);
}

template <class T>
std::vector<T> get(const T* from, std::size_t count) {
  const Stream stream;
  std::vector<T> to(count);
  device()->copy(to.data(), from, count * sizeof(T), DeviceCopy::to_host, stream);
  device()->wait(stream);
  return to;
}

/// The same on all ranks: strided boxes between random pairs, and some that stay.
Pattern random_pattern(unsigned seed, std::size_t elements) {
  std::mt19937 draw(seed);
  const auto below = [&](std::size_t most) { return std::size_t(draw() % most); };
  const int ranks = mpi::size(world()), me = mpi::rank(world());
  Pattern pattern;
  std::vector<std::ptrdiff_t> end(static_cast<std::size_t>(ranks), std::ptrdiff_t(elements / 2));
  for (int from = 0; from < ranks; ++from)
    for (int to = 0; to < ranks; ++to)
      for (std::size_t blocks = below(4); blocks > 0; --blocks) {
        const std::array count{1 + below(2), 1 + below(3), 1 + below(5)};
        const Block leaves{std::ptrdiff_t(below(20)), count, {40, std::ptrdiff_t(5 + below(4))}};
        auto& at = end[static_cast<std::size_t>(to)];
        const auto row = std::ptrdiff_t(count[2] + below(2));
        const auto plane = row * std::ptrdiff_t(count[1]);
        const Block lands{at, count, {plane, row}};
        at += plane * std::ptrdiff_t(count[0]);
        if (from == to && from == me) pattern.copy(leaves, lands);
        if (from != to && from == me) pattern.send(to, leaves);
        if (from != to && to == me) pattern.receive(from, lands);
      }
  return pattern;
}

template <class T>
std::vector<T> numbers(std::size_t count, unsigned seed) {
  std::mt19937 draw(seed + 100 * static_cast<unsigned>(mpi::rank(world())));
  std::vector<T> all(count);
  for (T& one : all) one = static_cast<T>(draw() % 100000) / T(7);
  return all;
}

template <class Fields>
std::string refusal(const Pattern& pattern, const Fields& fields, const Scheme& scheme,
                    const ExchangeOptions& options = {}) {
  return complaint([&] { Exchange(pattern, fields, scheme, options); });
}

/// Schemes with a way between devices, as this MPI and this device can.
std::vector<std::string> schemes() {
  std::vector<std::string> all{"p2p:nonblocking", "p2p:nonblocking+corners=forwarded",
                               "shm:signal+access=copy", "rma:put:flush+alloc=allocate", "auto"};
  if (device()->has_peers()) all.push_back("p2p:nonblocking+device=peer");
  for (const SchemeFacts& known : known_schemes()) {
    if (!known.unavailable.empty() || known.scheme == "shmem") continue;
    all.push_back(known.scheme + "+device=staged");
    const bool messages = known.scheme.starts_with("p2p:") || known.scheme.starts_with("neighbor:");
    if (messages && mpi_takes_addresses()) all.push_back(known.scheme + "+device=aware");
  }
  return all;
}

TEST(Device, CopiesAndReduces) {
  NEEDS_DEVICE();
  EXPECT_FALSE(device()->describe().empty());
  const std::size_t count = 5000;
  Array<double> array(world(), count, MemoryKind::device);
  EXPECT_EQ(array.memory().kind(), MemoryKind::device);
  EXPECT_TRUE(device()->owns(array.data()));
  EXPECT_TRUE(device()->owns(array.data() + count - 1));
  int on_host = 0;
  EXPECT_FALSE(device()->owns(&on_host));
  EXPECT_EQ(get(array.data(), count), std::vector<double>(count));
  std::vector<double> values = numbers<double>(count, 1);
  values[17] = -1e6;
  put(values, array.data());
  EXPECT_EQ(get(array.data(), count), values);
  const Stream stream;
  EXPECT_EQ(device()->largest(array.data(), count, stream), 1e6);
  double expected = 0;
  for (std::size_t part = 0; part < 1024; ++part) {
    double sum = 0;
    for (std::size_t i = part * count / 1024; i < (part + 1) * count / 1024; ++i) sum += values[i];
    expected += sum;
  }
  EXPECT_EQ(device()->sum(array.data(), count, stream), expected);
}

TEST(Device, HasTheBytesOfTheHost) {
  NEEDS_DEVICE();
  const std::size_t elements = 1200;
  // Many ranks on few cores are slow, and one pattern of them is as good as three.
  const unsigned patterns = mpi::size(world()) > 2 ? 1 : 3;
  for (const std::string& scheme : schemes())
    for (unsigned seed = 1; seed <= patterns; ++seed) {
      const Pattern pattern = random_pattern(seed, elements);
      Array<double> doubles(world(), elements), on_device(world(), elements, MemoryKind::device);
      Array<float> floats(world(), elements), floats_there(world(), elements, MemoryKind::device);
      Exchange host(pattern, std::vector<Field>{doubles, floats}, "p2p:nonblocking");
      Exchange there(pattern, std::vector<Field>{on_device, floats_there}, scheme);
      for (unsigned step = 0; step < 3; ++step) {
        const auto a = numbers<double>(elements, 10 * seed + step);
        const auto b = numbers<float>(elements, 50 * seed + step);
        std::copy(a.begin(), a.end(), doubles.begin());
        std::copy(b.begin(), b.end(), floats.begin());
        put(a, on_device.data());
        put(b, floats_there.data());
        host.run();
        there.run();
        ASSERT_EQ(get(on_device.data(), elements), std::vector(doubles.begin(), doubles.end()))
            << scheme << " as " << there.scheme().str() << ", pattern " << seed;
        ASSERT_EQ(get(floats_there.data(), elements), std::vector(floats.begin(), floats.end()))
            << scheme << " as " << there.scheme().str() << ", pattern " << seed;
      }
      // It says which way they really went.
      EXPECT_FALSE(there.scheme().is("device", "auto")) << there.scheme().str();
    }
}

TEST(Device, CopiesHalosAndNotGrids) {
  NEEDS_DEVICE();
  const Grid grid(world(), {24, 18, 20}, {.halo = 1, .periodic = {true, true, true}});
  const Pattern halo = grid.halo();
  std::uint64_t lands = 0;
  for (const Link& link : halo.receives()) lands += link.size() * sizeof(double);
  const Array<double> field(world(), grid.elements(), MemoryKind::device);
  const std::uint64_t steps = 3;
  for (const std::string way : {"staged", "aware", "peer"}) {
    if (way == "aware" && !mpi_takes_addresses()) continue;
    if (way == "peer" && !device()->has_peers()) continue;
    Exchange exchange(halo, field, "p2p:nonblocking+device=" + way);
    EXPECT_TRUE(exchange.scheme().is("device", way));
    for (std::uint64_t step = 0; step < steps; ++step) exchange.run();
    const DeviceTraffic& traffic = exchange.device_traffic();
    EXPECT_EQ(traffic.to_host, way == "staged" ? steps * exchange.bytes_sent() : 0) << way;
    EXPECT_EQ(traffic.to_device, way == "staged" ? steps * lands : 0) << way;
    EXPECT_EQ(traffic.within, way == "peer" ? steps * lands : 0) << way;
    if (way == "staged" && lands > 0) {
      EXPECT_EQ(traffic.copies, 2 * steps);
    }
    exchange.reset_times();
    EXPECT_EQ(exchange.device_traffic().copies, 0u);
  }
}

/// What leaves is told by its address; so nobody is given an MPI's word without a look at bytes.
TEST(Device, BelievesNoMpiThatBringsOtherBytes) {
  NEEDS_DEVICE();
  if (mpi::size(world()) == 1 || !mpi_takes_addresses()) return;
  const Pattern pattern = random_pattern(5, 1200);
  const Array<double> field(world(), 1200, MemoryKind::device);
  const std::vector<Field> fields{field};
  mpi_lies = true;
  const std::string said = refusal(pattern, fields, "p2p:nonblocking+device=aware");
  const Exchange exchange(pattern, fields, "p2p:nonblocking");
  mpi_lies = false;
  EXPECT_NE(said.find("do not arrive as they were sent"), said.npos) << said;
  EXPECT_NE(said.find("use device=staged"), said.npos) << said;
  EXPECT_FALSE(exchange.scheme().is("device", "aware")) << exchange.scheme().str();
}

/// Whichever way was fastest: that depends on who else uses the cores.
TEST(Device, ChoosesAWayByItselfAndTakesIt) {
  NEEDS_DEVICE();
  const int me = mpi::rank(world()), ranks = mpi::size(world());
  if (ranks != 2 || !device()->has_peers()) return;
  const std::size_t elements = 1 << 19;
  Pattern pattern;
  pattern.send(1 - me, {0, {1, 1, elements}});
  pattern.receive(1 - me, {std::ptrdiff_t(elements), {1, 1, elements}});
  const Array<double> field(world(), 2 * elements, MemoryKind::device);
  put(numbers<double>(2 * elements, 3), field.data());
  Exchange exchange(pattern, field, "rma:put:flush");
  exchange.run();
  const std::string way = exchange.scheme().option("device");
  const DeviceTraffic& traffic = exchange.device_traffic();
  EXPECT_TRUE(way == "staged" || way == "aware" || way == "peer") << exchange.scheme().str();
  EXPECT_EQ(traffic.within, way == "peer" ? elements * sizeof(double) : 0) << way;
  EXPECT_EQ(traffic.to_host, way == "staged" ? elements * sizeof(double) : 0) << way;
  auto sent = numbers<double>(2 * elements, 3);
  const auto arrived = get(field.data() + elements, elements);
  sent.resize(elements);
  std::vector<double> expected(elements);
  HALOCLINE_MPI(MPI_Sendrecv, sent.data(), int(elements), MPI_DOUBLE, 1 - me, 0, expected.data(),
                int(elements), MPI_DOUBLE, 1 - me, 0, world(), MPI_STATUS_IGNORE);
  EXPECT_EQ(arrived, expected);
}

/// Nothing but the stream orders what is written, exchanged and read.
TEST(Device, FollowsTheCallersStream) {
  NEEDS_DEVICE();
  const std::size_t elements = 1200;
  const Pattern pattern = random_pattern(7, elements);
  Array<double> host(world(), elements), field(world(), elements, MemoryKind::device);
  Exchange expected(pattern, host, "p2p:nonblocking");
  for (const std::string scheme : {"p2p:nonblocking+device=staged", "shm:signal+device=staged",
                                   "rma:put:fence+device=staged"}) {
    Exchange exchange(pattern, field, scheme);
    const Stream stream;
    std::vector<std::vector<double>> before, after(20), right;
    for (unsigned step = 0; step < 20; ++step) {
      before.push_back(numbers<double>(elements, step));
      after[step].resize(elements);
      std::copy(before[step].begin(), before[step].end(), host.begin());
      expected.run();
      right.emplace_back(host.begin(), host.end());
    }
    for (unsigned step = 0; step < 20; ++step) {
      device()->copy(field.data(), before[step].data(), elements * sizeof(double),
                     DeviceCopy::to_device, stream);
      exchange.start(stream);
      exchange.finish(stream);
      device()->copy(after[step].data(), field.data(), elements * sizeof(double),
                     DeviceCopy::to_host, stream);
    }
    device()->wait(stream);
    for (unsigned step = 0; step < 20; ++step) ASSERT_EQ(after[step], right[step]) << scheme;
  }
}

/// What is chosen while the program runs changes from step to step, also how messages travel.
TEST(Device, ChoosesWhileTheProgramRuns) {
  NEEDS_DEVICE();
  setenv("HALOCLINE_TUNING_REGRET", "0.9", 1);
  Tuning::current().fresh = true;  // whatever an earlier run has left out
  const std::size_t elements = 1200;
  const Pattern pattern = random_pattern(8, elements);
  Array<double> host(world(), elements), field(world(), elements, MemoryKind::device);
  Exchange expected(pattern, host, "p2p:nonblocking");
  for (const std::string scheme : {"auto+when=running", "auto+when=running+device=staged"}) {
    Exchange exchange(pattern, field, scheme);
    Section section(world(), {&exchange});
    const Stream stream;
    std::set<std::string> seen;
    // Where laps are noisy two may compete for thousands of them.
    const auto goes_on = [&](unsigned step) {
      return step < 600 || (mpi::size(world()) > 1 && seen.size() <= 3 && step < 30000);
    };
    for (unsigned step = 0; goes_on(step); ++step) {
      const auto before = numbers<double>(elements, step);
      std::copy(before.begin(), before.end(), host.begin());
      expected.run();
      std::vector<double> after(elements);
      device()->copy(field.data(), before.data(), elements * sizeof(double), DeviceCopy::to_device,
                     stream);
      section.begin();
      exchange.start(stream);
      EXPECT_THROW(section.begin(), Error);
      exchange.finish(stream);
      section.end();
      device()->copy(after.data(), field.data(), elements * sizeof(double), DeviceCopy::to_host,
                     stream);
      device()->wait(stream);
      ASSERT_EQ(after, std::vector<double>(host.begin(), host.end()))
          << step << ", " << exchange.scheme().str();
      seen.insert(exchange.scheme().str());
      if (scheme.ends_with("staged")) {
        EXPECT_EQ(exchange.scheme().option("device"), "staged");
      }
    }
    if (mpi::size(world()) > 1) {
      EXPECT_GT(seen.size(), 3u) << section.report();
    }
  }
  Tuning::current().fresh = false;
  unsetenv("HALOCLINE_TUNING_REGRET");
}

/// A kernel of the caller's that runs all the time: an exchange waits for nothing but its own.
TEST(Device, TravelsWhileTheCallersKernelRuns) {
  NEEDS_DEVICE();
  if (device()->backend() == "openmp" && !device()->has_peers())
    GTEST_SKIP() << "OpenMP gives a GPU no memory of the host that it reads";
  using Held = void (*)(const volatile int* go, volatile int* ended, DeviceStream stream);
  const auto held = reinterpret_cast<Held>(device()->kernel("device_test", "test_held"));
  const std::size_t elements = 1200;
  const Pattern pattern = random_pattern(9, elements);
  Array<double> host(world(), elements), field(world(), elements, MemoryKind::device);
  auto* const flags = static_cast<volatile int*>(device()->allocate_pinned(2 * sizeof(int)));
  volatile int &go = flags[0], &ended = flags[1];
  std::vector<std::string> schemes{"p2p:nonblocking+device=staged", "shm:signal+device=staged"};
  if (device()->has_peers()) schemes.push_back("p2p:nonblocking+device=peer");
  if (mpi_takes_addresses()) schemes.push_back("p2p:nonblocking+device=aware");
  for (const std::string& scheme : schemes) {
    const std::vector<double> values = numbers<double>(elements, 4);
    std::copy(values.begin(), values.end(), host.begin());
    put(values, field.data());
    Exchange(pattern, host, "p2p:nonblocking").run();
    Exchange exchange(pattern, field, scheme);
    const Stream stream;
    go = 0;
    ended = 0;
    std::promise<void> finished;
    std::thread guard([&go, done = finished.get_future()] {  // else the kernel holds the test
      if (done.wait_for(std::chrono::seconds(120)) == std::future_status::timeout) go = 1;
    });
    exchange.start(stream);
    held(&go, &ended, stream);
    exchange.finish(stream);
    EXPECT_EQ(ended, 0) << scheme << " has waited for the caller's kernel";
    go = 1;
    finished.set_value();
    guard.join();
    device()->wait(stream);
    EXPECT_EQ(ended, 1) << scheme;
    EXPECT_EQ(get(field.data(), elements), std::vector(host.begin(), host.end())) << scheme;
  }
  device()->free_pinned(const_cast<int*>(flags));
}

/// The kernel of docs/reference/devices.md.
TEST(Device, RunsAKernelOfTheCallers) {
  NEEDS_DEVICE();
  using Doubled = void (*)(const double* x, double* y, std::int64_t count, DeviceStream stream);
  const auto doubled = reinterpret_cast<Doubled>(device()->kernel("device_test", "test_doubled"));
  std::vector<double> values = numbers<double>(1200, 2);
  Array<double> x(world(), values.size(), MemoryKind::device);
  Array<double> y(world(), values.size(), MemoryKind::device);
  put(values, x.data());
  const Stream stream;
  doubled(x.data(), y.data(), std::ssize(values), stream);
  device()->wait(stream);
  for (double& value : values) value *= 2;
  EXPECT_EQ(get(y.data(), values.size()), values);
}

/// As beside a device with memory of its own: what the host does with an address of it fails.
TEST(Device, KeepsTheHostOutWhereItIsToldTo) {
  NEEDS_DEVICE();
  const char* const apart = std::getenv("HALOCLINE_OPENMP_APART");
  if (apart == nullptr) GTEST_SKIP() << "HALOCLINE_OPENMP_APART is not set";
  EXPECT_FALSE(device()->is_host());
  const Array<double> field(world(), 1200, MemoryKind::device);
  put(numbers<double>(1200, 6), field.data());
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(write(ends[1], field.data(), sizeof(double)), -1);
  EXPECT_EQ(errno, EFAULT);
  close(ends[0]);
  close(ends[1]);
  EXPECT_EQ(get(field.data(), 1200), numbers<double>(1200, 6));
  const std::vector<Field> fields{field};
  const std::string said = refusal(random_pattern(3, 1200), fields, "p2p:nonblocking+device=aware");
  EXPECT_NE(said.find("does not say that it takes addresses of openmp"), said.npos) << said;
}

TEST(Device, RefusesWhatCannotBe) {
  NEEDS_DEVICE();
  const Pattern pattern = random_pattern(3, 1200);
  const Array<double> there(world(), 1200, MemoryKind::device), here(world(), 1200);
  const std::vector<Field> on_device{there}, on_host{here}, mixed{there, here};
  const auto expect = [&](const std::string& said, const std::string& words) {
    EXPECT_NE(said.find(words), said.npos) << said;
  };
  expect(refusal(pattern, on_host, "p2p:nonblocking+device=staged"), "no field is on a device");
  expect(refusal(pattern, mixed, "p2p:nonblocking"), "1 of 2 fields are on a device");
  expect(refusal(pattern, on_device, "rma:put:fence+device=aware"), "use device=staged");
  expect(refusal(pattern, on_device, "p2p:nonblocking", {.combine = Combine::sum}),
         "works on the host's memory");
  expect(refusal(pattern, on_device, "p2p:nonblocking", {.changes = true}),
         "works on the host's memory");
  AsyncExchange newest(world(), pattern, sizeof(double), "p2p:nonblocking");
  double* const cells = there.data();
  const auto refused = [&](const std::string& words, const std::function<void()>& use) {
    expect(complaint(use), words);
  };
  const std::string newest_work = "asynchronous exchanges work on the host's memory";
  refused(newest_work, [&] { newest.send(cells, 1); });
  refused(newest_work, [&] { newest.receive(here.data(), cells); });
  refused(newest_work, [&] { newest.drain(cells); });
  newest.drain(here.data());
  const int ranks = mpi::size(world()), me = mpi::rank(world());
  const std::vector<int> next{(me + 1) % ranks}, last{(me + ranks - 1) % ranks}, nobody;
  RaggedExchange ragged(world(), ranks > 1 ? next : nobody, ranks > 1 ? last : nobody,
                        sizeof(double), 10, "p2p:nonblocking");
  if (ranks > 1)
    refused("ragged exchanges work on the host's memory",
            [&] { ragged.send(0, std::span<const double>(cells, 10)); });
  ragged.run();
  if (ranks > 1) {
    EXPECT_TRUE(ragged.received<double>(0).empty());
  }
  Exchange changing(pattern, on_host, "p2p:nonblocking", {.changes = true});
  refused("works on the host's memory", [&] { changing.change(pattern, on_device); });
  Exchange host(pattern, on_host, "p2p:nonblocking");
  const Stream stream;
  EXPECT_THROW(host.start(stream), Error);
  Exchange any(pattern, std::vector<Field>{unbound<double>()}, "p2p:nonblocking");
  refused("field 0 is on a device; bind an exchange to it, or give fields on the host",
          [&] { any.run(there); });
  any.run(here);
  refused("no field is on a device", [&] {
    Exchange(pattern, std::vector<Field>{unbound(Field(there))}, "p2p:nonblocking+device=staged");
  });
  GatherScatter shared(world(), std::vector<std::int64_t>(1200, 1), unbound<double>(),
                       "p2p:nonblocking");
  refused("field 0 is on a device", [&] { shared.run(there); });
  EXPECT_THROW(open_device("abacus"), std::runtime_error);
}

}  // namespace
