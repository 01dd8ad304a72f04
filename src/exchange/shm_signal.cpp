// shm:signal: every rank counts its steps in shared memory, where its peers watch the counters.
// A release store of a counter, seen by an acquire load, orders the cells before it: no MPI call.

#include "methods.hpp"
#include "shm.hpp"

#include <atomic>

namespace halocline::detail {

namespace {

/// A counter of steps, alone on its cache line: one rank writes, others read.
class Counter {
 public:
  Counter(std::byte* memory, std::size_t number)
      : value_(reinterpret_cast<std::uint64_t*>(memory + 64 * number)) {}
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
      : ShmExchange(std::move(s)),
        // Counter 0: my cells are ready; counter 1+r: I have read those of the island's rank r.
        memory_(island_memory(64 * static_cast<std::size_t>(1 + mpi::size(islands().island())))),
        ready_(memory_.data(), 0) {
    const auto number_of = [&](int rank) {
      return static_cast<std::size_t>(1 + islands().local_rank(rank));
    };
    for (const int source : sources()) {
      source_ready_.emplace_back(memory_.of_peer(comm(), source), 0);
      read_.emplace_back(memory_.data(), number_of(source));
    }
    for (const int target : targets())
      target_read_.emplace_back(memory_.of_peer(comm(), target), number_of(mpi::rank(comm())));
  }

 private:
  friend ShmExchange;

  void announce() { ready_.set(++step_); }
  bool arrived(std::size_t source) const { return source_ready_[source].reached(step_); }
  void release(std::size_t source) const {
    if (reading_is_told()) read_[source].set(step_);
  }
  bool reclaimed() const {
    if (!reading_is_told()) return true;
    for (const Counter& target : target_read_)
      if (!target.reached(step_)) return false;
    return true;
  }

  Memory memory_;
  Counter ready_;
  std::vector<Counter> source_ready_, read_, target_read_;
  std::uint64_t step_ = 0;
};

}  // namespace

MethodFacts shm_signal() {
  return shm_facts("shm:signal",
                   "loads and stores, synchronised by atomic step counters in shared memory",
                   make<ShmSignal>);
}

}  // namespace halocline::detail
