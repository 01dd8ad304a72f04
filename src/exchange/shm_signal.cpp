// shm:signal: every rank counts its steps in shared memory, where its peers watch the counters.
// A release store of a counter, seen by an acquire load, orders the cells before it: no MPI call.
// A message of a few words travels in the counter's own cache line.

#include "memory/cache_line.hpp"
#include "methods.hpp"
#include "shm.hpp"

#include <atomic>

namespace halocline::detail {

namespace {

/// A counter of steps, alone on its cache line: one rank writes, others read.
class Counter {
 public:
  Counter(std::byte* memory, std::size_t number)
      : value_(reinterpret_cast<std::uint64_t*>(memory + cache_line * number)) {}
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

/// A cache line that holds a small message behind the number of its step: what says that it is
/// there brings it along.
class Letter {
 public:
  static constexpr std::size_t room = 56;
  static constexpr std::size_t apart = 128;  // processors fetch lines in pairs

  explicit Letter(std::byte* memory) : memory_(memory) {}
  std::byte* text() const { return memory_ + 8; }
  Counter step() const { return {memory_, 0}; }

 private:
  std::byte* memory_;
};

/// Messages of one link that fit a letter: two letters in turn, as every link has one in the other
/// direction. A peer reaches step k+2 only after it has seen that I have used its step k.
struct Letters {
  std::vector<Letter> turns;  // empty: the cells are read where they are
  Layout cells;

  bool used() const { return !turns.empty(); }
  const Letter& at(std::uint64_t step) const { return turns[step % 2]; }
};

class ShmSignal final : public ShmExchange<ShmSignal> {
 public:
  explicit ShmSignal(Setup s)
      : ShmExchange(std::move(s), Telling::by_memory),
        // Counter 0: my cells are ready; counter 1+r: I have read those of the island's rank r.
        memory_(island_memory(cache_line *
                              static_cast<std::size_t>(1 + mpi::size(islands().island())))),
        ready_(memory_.data(), 0) {
    const auto number_of = [&](int rank) {
      return static_cast<std::size_t>(1 + islands().local_rank(rank));
    };
    for (const int source : sources()) {
      source_ready_.emplace_back(memory_.of_peer(comm(), source), 0);
      read_.emplace_back(memory_.data(), number_of(source));
    }
    make_letters();
    for (std::size_t i = 0; i < targets().size(); ++i)
      if (!to_[i].used())
        target_read_.emplace_back(memory_.of_peer(comm(), targets()[i]),
                                  number_of(mpi::rank(comm())));
  }

 private:
  friend ShmExchange;

  void make_letters() {
    to_.resize(targets().size());
    from_.resize(sources().size());
    if (!two_way_inside() || !copies_from_fields()) return;
    post_ = island_memory(2 * Letter::apart * targets().size());
    std::vector<std::int64_t> places;
    const auto open = [](Letters& letters, std::byte* memory) {
      letters.turns = {Letter(memory), Letter(memory + Letter::apart)};
    };
    for (std::size_t i = 0; i < to_.size(); ++i) {
      places.push_back(static_cast<std::int64_t>(2 * Letter::apart * i));
      to_[i].cells = layout(sends()[i]);
      if (to_[i].cells.bytes() <= Letter::room) open(to_[i], post_.data() + places.back());
    }
    const auto theirs = trade(comm(), targets(), places, sources(), 1);
    for (std::size_t i = 0; i < from_.size(); ++i) {
      from_[i].cells = layout(receives()[i]);
      if (from_[i].cells.bytes() <= Letter::room)
        open(from_[i], post_.of_peer(comm(), sources()[i]) + theirs[i]);
    }
  }

  void announce() {
    ++step_;
    bool all_by_letter = true;
    for (const Letters& letters : to_) {
      if (!letters.used()) {
        all_by_letter = false;
        continue;
      }
      letters.cells.pack(bases(), letters.at(step_).text());
      letters.at(step_).step().set(step_);
    }
    if (!all_by_letter) ready_.set(step_);
  }
  bool arrived(std::size_t source) const {
    const Letters& letters = from_[source];
    return (letters.used() ? letters.at(step_).step() : source_ready_[source]).reached(step_);
  }
  void take(std::size_t source) {
    const Letters& letters = from_[source];
    if (!letters.used()) return Shm::take(source);
    const auto time = packing();
    letters.cells.unpack(bases(), letters.at(step_).text());
  }
  void release(std::size_t source) const {
    if (reading_is_told() && !from_[source].used()) read_[source].set(step_);
  }
  bool reclaimed() const {
    if (!reading_is_told()) return true;
    for (const Counter& target : target_read_)
      if (!target.reached(step_)) return false;
    return true;
  }

  Memory memory_, post_;
  Counter ready_;
  std::vector<Counter> source_ready_, read_, target_read_;
  std::vector<Letters> to_, from_;
  std::uint64_t step_ = 0;
};

}  // namespace

MethodFacts shm_signal() {
  return shm_facts("shm:signal",
                   "loads and stores, synchronised by atomic step counters in shared memory",
                   make<ShmSignal>);
}

}  // namespace halocline::detail
