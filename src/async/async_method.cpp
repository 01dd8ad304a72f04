#include <halocline/more/async_method.hpp>

#include "mpi/come_to_rest.hpp"

#include <cstring>
#include <utility>

namespace halocline::methods {

namespace {

/// In a trace, what is done with cells belongs to the iteration that they are from.
class OfIteration {
 public:
  explicit OfIteration(std::uint64_t iteration) noexcept
      : thread_(trace::recording() ? trace::detail::thread() : nullptr) {
    if (thread_) step_ = std::exchange(thread_->step, static_cast<std::uint32_t>(iteration));
  }
  ~OfIteration() {
    if (thread_) thread_->step = step_;
  }
  OfIteration(const OfIteration&) = delete;
  OfIteration& operator=(const OfIteration&) = delete;

 private:
  trace::detail::Thread* thread_;
  std::uint32_t step_ = 0;
};

}  // namespace

AsyncMethod::AsyncMethod(Setup setup, const AsyncOptions& options)
    : iterations_(setup.pattern.receives().size(), 0),
      setup_(std::move(setup)),
      options_(options),
      name_(setup_.scheme.str() + ", asynchronous") {
  for (const Link& link : setup_.pattern.sends())
    outgoing_.emplace_back(link.blocks, setup_.fields);
  for (const Link& link : setup_.pattern.receives())
    incoming_.emplace_back(link.blocks, setup_.fields);
}

AsyncMethod::~AsyncMethod() = default;

void AsyncMethod::send(const void* cells, std::uint64_t iteration) {
  // A layout packs and unpacks, so the bases that it is given are not const.
  cells_.assign(1, static_cast<std::byte*>(const_cast<void*>(cells)));
  const trace::detail::Phase offering(Activity::transfer);
  offer(iteration);
}

std::size_t AsyncMethod::receive(void* cells, void* twin) {
  halos_.clear();
  for (void* array : {cells, twin})
    if (array != nullptr) halos_.push_back({static_cast<std::byte*>(array)});
  const trace::detail::Phase collecting(Activity::transfer);
  return collect();
}

void AsyncMethod::drain(void* cells, void* twin) {
  receive(cells, twin);
  settle();
}

bool AsyncMethod::come_to_rest() noexcept {
  const bool at_rest = mpi::come_to_rest([this] { drain(nullptr, nullptr); });
  if (!at_rest) setup_.comm.keep();
  return at_rest;
}

void AsyncMethod::pack(const Layout& cells, std::uint64_t iteration, std::byte* message) const {
  const trace::Event event(Activity::pack);
  std::memcpy(message, &iteration, header);
  cells.pack(cells_, message + header);
}

std::uint64_t AsyncMethod::unpack(const Layout& cells, const std::byte* message, int peer) const {
  std::uint64_t iteration = 0;
  std::memcpy(&iteration, message, header);
  const OfIteration data(iteration);
  const trace::Event event(Activity::unpack, peer, cells.bytes());
  for (const Bases& halo : halos_) cells.unpack(halo, message + header);
  return iteration;
}

}  // namespace halocline::methods
