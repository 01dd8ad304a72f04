// shm:signal: every rank counts its steps in shared memory, where its peers watch the counters.
// A release store of a counter, seen by an acquire load, orders the cells before it: no MPI call.
// A message of a few words brings its counter along in its cache line.

#include "memory/cache_line.hpp"

#include "shm.hpp"

#include <algorithm>
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

class ShmSignal final : public Shm {
 public:
  explicit ShmSignal(Setup s)
      : Shm(std::move(s)),
        // Pair 0: my cells are ready; pair 1+i: I have read those of source i.
        memory_(share(line_pair * (1 + sources().size()))),
        ready_(pool().mine(memory_.place())) {
    std::vector<std::int64_t> read;
    for (std::size_t i = 0; i < sources().size(); ++i)
      read.push_back(memory_.place() + static_cast<std::int64_t>(line_pair * (1 + i)));
    const std::vector<std::int64_t> ready(targets().size(), memory_.place());
    const auto ready_there = trade(comm(), targets(), ready, sources(), 1);
    const auto read_there = trade(comm(), sources(), read, targets(), 1);
    for (std::size_t i = 0; i < sources().size(); ++i)
      incoming_.push_back({.ready = Counter(pool().at(sources()[i], ready_there[i])),
                           .read = Counter(pool().mine(read[i])),
                           .numbered = message_from(i) != nullptr && leaves_room(receives()[i])});
    for (std::size_t i = 0; i < targets().size(); ++i)
      outgoing_.push_back({.read = Counter(pool().at(targets()[i], read_there[i])),
                           .numbered = message_to(i) != nullptr && leaves_room(sends()[i])});
  }

  void start() override {
    begin_step([&] { announce(); });
  }
  void finish() override {
    end_step([&](std::size_t source) { return arrived(source); },
             [&](std::size_t source) { release(source); }, [&] { return reclaimed(); });
  }

 private:
  /// A numbered message, of a few words, has the number of its step in its own line: what says that
  /// it is there brings it.
  struct Incoming {
    Counter ready, read;
    bool numbered;
  };
  struct Outgoing {
    Counter read;
    bool numbered;
  };
  static constexpr std::size_t place_of_number = cache_line - sizeof(std::uint64_t);
  bool leaves_room(const Link& link) const {
    return setup().send_layout(link).bytes() <= place_of_number;
  }

  /// My cells of this step may be read.
  void announce() {
    ++step_;
    bool all_numbered = true;
    for (std::size_t i = 0; i < outgoing_.size(); ++i)
      if (outgoing_[i].numbered)
        Counter(message_to(i) + place_of_number).set(step_);
      else
        all_numbered = false;
    if (!all_numbered) ready_.set(step_);
  }
  /// Those of a source may be.
  bool arrived(std::size_t source) const {
    if (incoming_[source].numbered)
      return Counter(message_from(source) + place_of_number).reached(step_);
    return incoming_[source].ready.reached(step_);
  }
  /// I have read them.
  void release(std::size_t source) const {
    if (readers_notify()) incoming_[source].read.set(step_);
  }
  /// All targets have read what I write to next: where two messages are used in turn, that of the
  /// step before. A reader that is late by less than a step delays nobody.
  bool reclaimed() const {
    if (!readers_notify()) return true;
    for (std::size_t i = 0; i < outgoing_.size(); ++i)
      if (!outgoing_[i].read.reached(message_to(i) != nullptr ? step_ - 1 : step_)) return false;
    return true;
  }

  SharedPool::Part memory_;
  Counter ready_;
  std::vector<Incoming> incoming_;
  std::vector<Outgoing> outgoing_;
  std::uint64_t step_ = 0;
};

/// Of counters that are stored, and seen.
class DescribedSignal final : public ShmDescribedByPeer {
 public:
  DescribedSignal(const model::Links& links, bool readers_notify)
      : ShmDescribedByPeer(links, readers_notify, "signal", "seen") {}
};

}  // namespace

MethodFacts shm_signal() {
  return shm_facts("shm:signal",
                   "loads and stores, synchronised by atomic step counters in shared memory",
                   make<ShmSignal>, describe_shm<DescribedSignal>);
}

}  // namespace halocline::detail
