// shm:signal: every rank counts its steps in shared memory, where its peers watch the counters.
// A release store of a counter, seen by an acquire load, orders the cells before it: no MPI call.
// A message of a few words brings its counter along in its cache line (step_signals.hpp).

#include "exchange/core/shared_access.hpp"
#include "memory/cache_line.hpp"
#include "shm.hpp"
#include "step_signals.hpp"

namespace halocline::detail {

namespace {

class ShmSignal final : public Shm {
 public:
  explicit ShmSignal(Setup s)
      // Pair 0: my cells are ready; pair 1+i: I have read those of source i.
      : Shm(std::move(s), Lines::of_sources), signals_(mine(lines()), readers_notify()) {
    std::vector<std::int64_t> read;
    for (std::size_t i = 0; i < sources().size(); ++i)
      read.push_back(lines() + static_cast<std::int64_t>(line_pair * (1 + i)));
    const std::vector<std::int64_t> ready(targets().size(), lines());
    const auto ready_there = trade(comm(), targets(), ready, sources(), 1);
    const auto read_there = trade(comm(), sources(), read, targets(), 1);
    for (std::size_t i = 0; i < sources().size(); ++i)
      signals_.add_source({.ready = Counter(word(pool().at(sources()[i], ready_there[i]))),
                           .read = Counter(mine(read[i])),
                           .numbered = message_from(i) != nullptr && leaves_room(receives()[i])});
    for (std::size_t i = 0; i < targets().size(); ++i)
      signals_.add_target({.read = Counter(word(pool().at(targets()[i], read_there[i]))),
                           .in_slots = message_to(i) != nullptr,
                           .numbered = message_to(i) != nullptr && leaves_room(sends()[i])});
  }

  void start() override {
    begin_step([&] { signals_.announce([&](std::size_t target) { return message_to(target); }); });
  }
  void finish() override {
    end_step([&](std::size_t source) { return signals_.arrived(source, message_from(source)); },
             [&](std::size_t source) { signals_.release(source); },
             [&] { return signals_.reclaimed(); });
  }

 private:
  using Signals = StepSignals<SharedAccess>;
  using Counter = Signals::Counter;

  static SharedWord* word(std::byte* memory) { return reinterpret_cast<SharedWord*>(memory); }
  SharedWord* mine(SharedPool::Place place) const { return word(pool().mine(place)); }
  bool leaves_room(const Link& link) const {
    return setup().send_layout(link).bytes() <= Signals::place_of_number;
  }

  Signals signals_;
};

/// A step whose ranks tell each other by counters, which one stores and the other polls.
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
