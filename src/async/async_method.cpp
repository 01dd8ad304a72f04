#include "async_method.hpp"
#include "exchange/core/trade.hpp"

#include <halocline/wait.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace halocline::detail {

namespace {

/// A trace shows what is done with data as of the iteration that they are from.
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
  // Layouts serve both directions, so their bases are not const.
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

std::vector<Layout> AsyncMethod::parts_of(const Layout& cells) const {
  if (!racy()) return {cells};
  constexpr std::size_t fine = 4096, word = 8;
  const std::size_t parts = std::clamp<std::size_t>(cells.bytes() / fine, 2, most_parts);
  return cells.cut((cells.bytes() / word + parts - 1) / parts * word);
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

NumberedMethod::NumberedMethod(Setup s, const AsyncOptions& options)
    : AsyncMethod(std::move(s), options),
      sent_(outgoing().size(), 0),
      seen_(incoming().size(), 0) {}

std::size_t NumberedMethod::collect() {
  std::size_t links = 0;
  for (std::size_t link = 0; link < incoming().size(); ++link) links += collect_from(link);
  return links;
}

void NumberedMethod::take(std::size_t link, std::uint64_t number, const std::byte* message) {
  counts_.superseded += number - seen_[link] - 1;
  ++counts_.received;
  seen_[link] = number;
  iterations_[link] = unpack(incoming()[link], message, setup().pattern.receives()[link].peer);
}

void NumberedMethod::settle() {
  const std::vector<int> targets = setup().targets(), sources = setup().sources();
  const std::vector<std::int64_t> mine(sent_.begin(), sent_.end());
  const auto theirs = trade(comm(), targets, mine, sources, 1);
  wait_until(what(), [&] {
    collect();
    progress(comm());
    for (std::size_t link = 0; link < seen_.size(); ++link)
      if (seen_[link] < static_cast<std::uint64_t>(theirs[link])) return false;
    return true;
  });
  // No rank sends more until all has been read.
  trade(comm(), sources, std::vector<std::int64_t>(sources.size()), targets, 1);
}

}  // namespace halocline::detail
