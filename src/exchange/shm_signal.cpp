// shm:signal: every rank counts its steps in shared memory, where its peers watch the counters.
// A release store of a counter, seen by an acquire load, orders the cells before it: no MPI call.
// A message of a few words brings its counter along in its cache line.

#include "memory/cache_line.hpp"
#include "methods.hpp"
#include "shm.hpp"

#include <atomic>

namespace halocline::detail {

namespace {

/// A counter of steps: one rank writes, others read.
class Counter {
 public:
  explicit Counter(std::byte* memory) : value_(reinterpret_cast<std::uint64_t*>(memory)) {}
  void set(std::uint64_t step) const {
    std::atomic_ref(*value_).store(step, std::memory_order_release);
  }
  bool reached(std::uint64_t step) const {
    return std::atomic_ref(*value_).load(std::memory_order_acquire) >= step;
  }

 private:
  static_assert(std::atomic_ref<std::uint64_t>::is_always_lock_free,
                "counters are shared by processes");
  std::uint64_t* value_;
};

class ShmSignal final : public ShmExchange<ShmSignal> {
 public:
  explicit ShmSignal(Setup s)
      : ShmExchange(std::move(s), Telling::by_memory),
        // Pair 0: my cells are ready; pair 1+r: I have read those of the island's rank r.
        memory_(
            island_memory(line_pair * static_cast<std::size_t>(1 + mpi::size(islands().island())))),
        ready_(memory_.data()) {
    const auto line_of = [&](int rank) {
      return line_pair * static_cast<std::size_t>(1 + islands().local_rank(rank));
    };
    for (std::size_t i = 0; i < sources().size(); ++i) {
      source_ready_.emplace_back(memory_.of_peer(comm(), sources()[i]));
      read_.emplace_back(memory_.data() + line_of(sources()[i]));
      numbered_from_.push_back(message_from(i) != nullptr && leaves_room(receives()[i]));
    }
    for (std::size_t i = 0; i < targets().size(); ++i) {
      numbered_to_.push_back(message_to(i) != nullptr && leaves_room(sends()[i]));
      if (target_tells(i))
        target_read_.emplace_back(memory_.of_peer(comm(), targets()[i]) +
                                  line_of(mpi::rank(comm())));
    }
  }

 private:
  friend ShmExchange;

  /// A message of a few words takes the number of its step along, in its own line: what says that
  /// it is there brings it.
  static constexpr std::size_t place_of_number = cache_line - sizeof(std::uint64_t);
  bool leaves_room(const Link& link) const { return layout(link).bytes() <= place_of_number; }

  void announce() {
    ++step_;
    bool all_numbered = true;
    for (std::size_t i = 0; i < targets().size(); ++i)
      if (numbered_to_[i])
        Counter(message_to(i) + place_of_number).set(step_);
      else
        all_numbered = false;
    if (!all_numbered) ready_.set(step_);
  }
  bool arrived(std::size_t source) const {
    if (numbered_from_[source])
      return Counter(message_from(source) + place_of_number).reached(step_);
    return source_ready_[source].reached(step_);
  }
  void release(std::size_t source) const {
    if (source_waits(source)) read_[source].set(step_);
  }
  bool reclaimed() const {
    for (const Counter& target : target_read_)
      if (!target.reached(step_)) return false;
    return true;
  }

  Memory memory_;
  Counter ready_;
  std::vector<Counter> source_ready_, read_, target_read_;
  std::vector<bool> numbered_to_, numbered_from_;
  std::uint64_t step_ = 0;
};

}  // namespace

MethodFacts shm_signal() {
  return shm_facts("shm:signal",
                   "loads and stores, synchronised by atomic step counters in shared memory",
                   make<ShmSignal>);
}

}  // namespace halocline::detail
