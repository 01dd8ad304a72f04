#include "device_arrays.hpp"

#include "lap.hpp"
#include "stopwatch.hpp"

#include <halocline/error.hpp>
#include <halocline/more/device_trace.hpp>

namespace machine {

using namespace halocline;

namespace {

constexpr std::pair<DeviceStep, const char*> steps[] = {
    {DeviceStep::mapped, "mapped"},   {DeviceStep::resident, "resident"},
    {DeviceStep::update, "update"},   {DeviceStep::packed, "packed"},
    {DeviceStep::overlap, "overlap"}, {DeviceStep::aware, "aware"}};

/// On the device itself a scheme may say how messages travel; else the step does.
Scheme scheme_of(const Scheme& scheme, DeviceStep step) {
  if (step < DeviceStep::packed) {
    if (!scheme.is("device", "auto"))
      throw Error(scheme.str() + ": with --device " + name(step) +
                  " halos are exchanged on the host; use packed, overlap or aware");
    return scheme;
  }
  if (!scheme.is("device", "auto")) return scheme;
  return scheme.with("device", step == DeviceStep::aware ? "aware" : "staged");
}

}  // namespace

const char* name(DeviceStep step) noexcept {
  return steps[static_cast<std::size_t>(step)].second;
}

DeviceStep device_step(const std::string& option, const std::string& text) {
  std::string known;
  for (const auto& [step, word] : steps) {
    if (text == word) return step;
    known += (known.empty() ? "" : ", ") + std::string(word);
  }
  throw Error(option + " " + text + ": must be one of " + known);
}

DeviceArrays::DeviceArrays(MPI_Comm comm, const Pattern& halo, std::size_t elements,
                           const Scheme& scheme, DeviceStep step, bool measure)
    : halo_(halo),
      step_(step),
      elements_(elements),
      measure_(measure),
      there_{Array<double>(comm, elements, MemoryKind::device),
             Array<double>(comm, elements, MemoryKind::device)},
      device_(*opened_device()),
      stream_(device_.make_stream()) {
  const Scheme way = scheme_of(scheme, step);
  for (std::size_t a = 0; a < 2; ++a) {
    host_[a] = on_device() ? Array<double>(comm, elements) : Array<double>(comm, elements, way);
    exchanges_.emplace_back(comm, halo_, on_device() ? there_[a] : host_[a],
                            a == 0 || chooses_in_laps(way) ? way : exchanges_[0].scheme());
    exchanges_[a].measure(measure);
  }
  for (const Array<double>& host : host_) device_.pin(host.data(), elements * sizeof(double));
}

DeviceArrays::~DeviceArrays() {
  for (const Array<double>& host : host_) device_.unpin(host.data());
  device_.free_stream(stream_);
}

void DeviceArrays::copy(std::size_t array, Direction direction, std::ptrdiff_t first,
                        std::size_t count) {
  double* const here = host_[array].data() + first;
  double* const there = there_[array].data() + first;
  const std::size_t bytes = count * sizeof(double);
  const trace::Copy traced(direction, bytes);
  if (direction == Direction::to_host)
    device_.copy(here, there, bytes, direction, stream_);
  else
    device_.copy(there, here, bytes, direction, stream_);
  if (trace::recording()) complete();
  (direction == Direction::to_host ? use_.traffic.to_host : use_.traffic.to_device) += bytes;
  ++use_.traffic.copies;
}

/// Rows that follow each other go in one copy.
void DeviceArrays::copy_rows(std::size_t array, Direction direction,
                             const std::vector<Link>& links) {
  std::ptrdiff_t first = 0, end = 0;
  const auto flush = [&] {
    if (end > first) copy(array, direction, first, static_cast<std::size_t>(end - first));
  };
  for (const Link& link : links)
    for (const Block& block : link.blocks)
      for (std::size_t plane = 0; plane < block.count[0]; ++plane)
        for (std::size_t row = 0; row < block.count[1]; ++row) {
          const std::ptrdiff_t at = block.offset +
                                    static_cast<std::ptrdiff_t>(plane) * block.stride[0] +
                                    static_cast<std::ptrdiff_t>(row) * block.stride[1];
          if (at != end) flush(), first = at;
          end = at + static_cast<std::ptrdiff_t>(block.count[2]);
        }
  flush();
}

void DeviceArrays::complete() {
  device_.wait(stream_);
}

void DeviceArrays::upload() {
  use_ = {};
  for (const std::size_t array : {0, 1}) copy(array, Direction::to_device, 0, elements_);
  complete();
  use_ = {};
  for (Exchange& exchange : exchanges_) exchange.reset_times();
}

void DeviceArrays::download(std::size_t array) {
  if (!stays()) return;  // it is there, with its halo
  const DeviceTraffic before = use_.traffic;
  copy(array, Direction::to_host, 0, elements_);
  complete();
  use_.traffic = before;
}

void DeviceArrays::before_sweep() {
  ++use_.sweeps;
  if (stays()) return;
  const Stopwatch stopwatch(use_.times.copy);
  for (const std::size_t array : {0, 1}) copy(array, Direction::to_device, 0, elements_);
  complete();
}

void DeviceArrays::after_sweep() {
  // Where times are kept, each part is waited for, so that the next one is not taken for it.
  if (measure_ || !on_device()) complete();
  if (stays()) return;
  const Stopwatch stopwatch(use_.times.copy);
  for (const std::size_t array : {0, 1}) copy(array, Direction::to_host, 0, elements_);
  complete();
}

void DeviceArrays::start(std::size_t array) {
  exchanges_[array].start(stream_);
}
void DeviceArrays::finish(std::size_t array) {
  exchanges_[array].finish(stream_);
}

void DeviceArrays::exchange(std::size_t array) {
  if (on_device()) {
    start(array);
    finish(array);
    return;
  }
  const bool whole = step_ == DeviceStep::resident;
  if (stays()) {
    const Stopwatch stopwatch(use_.times.copy);
    if (whole)
      copy(array, Direction::to_host, 0, elements_);
    else
      copy_rows(array, Direction::to_host, halo_.sends());
    complete();
  }
  exchanges_[array].run();
  if (!stays()) return;
  const Stopwatch stopwatch(use_.times.copy);
  if (whole)
    copy(array, Direction::to_device, 0, elements_);
  else
    copy_rows(array, Direction::to_device, halo_.receives());
  complete();
}

DeviceUse DeviceArrays::use() const {
  DeviceUse all = use_;
  all.device = device_.describe();
  all.way = scheme();
  for (const Exchange& exchange : exchanges_) {
    all.traffic += exchange.device_traffic();
    all.times += exchange.times();
  }
  return all;
}

}  // namespace machine
