// The same ranks as threads of one process, with random pauses before and after all that they store
// and load in shared memory: what processes of the library do, where ThreadSanitizer sees it. It
// does not understand fences, so there the protocols are left out that need them.

#include "notify_ranks.hpp"
#include "other_ranks.hpp"
#include "shm_ranks.hpp"

#include <gtest/gtest.h>
#include <atomic>
#include <barrier>
#include <chrono>
#include <memory>
#include <random>
#include <thread>

using namespace protocols;
using halocline::detail::Processor;

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool knows_fences = false;
#else
constexpr bool knows_fences = true;
#endif

constexpr int steps = 300;
std::atomic<int> wrong{0};
std::unique_ptr<std::barrier<>> all_ranks;

/// Mostly none, now and then long enough for the other ranks to come far.
void rest() {
  thread_local std::minstd_rand dice(
      static_cast<unsigned>(std::hash<std::thread::id>{}(std::this_thread::get_id())));
  const auto draw = dice() % 64;
  if (draw < 4) std::this_thread::yield();
  if (draw == 63) std::this_thread::sleep_for(std::chrono::microseconds(dice() % 50));
}

struct Threads {
  static SharedWord load(SharedWord* word, std::memory_order order) {
    rest();
    return Processor::load(word, order);
  }
  static void store(SharedWord* word, SharedWord value, std::memory_order order) {
    rest();
    Processor::store(word, value, order);
    rest();
  }
  static void add(SharedWord* word, SharedWord more) {
    rest();
    std::atomic_ref(*word).fetch_add(more, std::memory_order_acq_rel);
    rest();
  }
  static void fence(std::memory_order order) {
#if !defined(__SANITIZE_THREAD__)
    std::atomic_thread_fence(order);
#else
    static_cast<void>(order);
#endif
  }
  static void put(SharedWord* cell, SharedWord value) {
    rest();
    *cell = value;
  }
  static SharedWord get(SharedWord* cell) {
    rest();
    return *cell;
  }
  template <class Reached>
  static void wait(const char*, const Reached& reached) {
    while (!reached()) std::this_thread::yield();
  }
  template <class Arrived, class Then>
  static void take_all(std::size_t number, const char*, const Arrived& arrived, const Then& then) {
    std::vector<std::size_t> pending(number);
    for (std::size_t i = 0; i < number; ++i) pending[i] = i;
    while (!pending.empty()) {
      std::erase_if(pending, [&](std::size_t source) {
        if (!arrived(source)) return false;
        then(source);
        return true;
      });
      std::this_thread::yield();
    }
  }
  enum class Meeting { ordering, bare };
  static void meet(const char*, Meeting) {
    all_ranks->arrive_and_wait();
  }
  static void settle(SharedWord) {}
  static void expect(bool right, const char* what) {
    if (right) return;
    if (wrong.fetch_add(1) == 0) std::fprintf(stderr, "%s\n", what);
  }
  static void at(const char*) {}
  static bool leaves_out(const char*) {
    return false;
  }
};

template <class Rank>
void run(int ranks, std::size_t words, const Rank& rank) {
  wrong = 0;
  std::vector<SharedWord> memory(words, 0);
  all_ranks = std::make_unique<std::barrier<>>(ranks);
  std::vector<std::thread> threads;
  for (int me = 0; me < ranks; ++me) threads.emplace_back([&, me] { rank(me, memory.data()); });
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(wrong, 0);
}

/// One way and both ways, of two and three ranks.
std::vector<std::vector<Links>> patterns() {
  return {{{{1}, {}}, {{}, {0}}},
          {{{1}, {1}}, {{0}, {0}}},
          {{{1}, {2}}, {{2}, {0}}, {{0}, {1}}},
          {{{1, 2}, {1, 2}}, {{0, 2}, {0, 2}}, {{0, 1}, {0, 1}}}};
}

template <class Rank>
void run_shm(Shape shape) {
  shape.steps = steps;
  for (const auto& links : patterns())
    for (const CellsIn cells : {CellsIn::slots, CellsIn::field, CellsIn::place}) {
      shape.links = links;
      shape.cells = cells;
      run(shape.ranks(), place::all(shape.ranks()),
          [&](int me, SharedWord* memory) { Rank(shape, me, memory, 0).run(); });
    }
}

}  // namespace

TEST(Threads, Signal) {
  run_shm<SignalRank<Threads>>({});
}

TEST(Threads, SignalWithNumberedMessages) {
  run_shm<SignalRank<Threads>>({.numbered = true});
}

TEST(Threads, SignalInTheSameMemoryAgain) {
  for (const auto& links : patterns()) {
    const Shape shape{.links = links, .steps = 5, .exchanges = 40};
    run(shape.ranks(), place::all(shape.ranks()),
        [&](int me, SharedWord* memory) { signal_exchanges<Threads>(shape, me, memory); });
  }
}

TEST(Threads, Message) {
  if (knows_fences) run_shm<MessageRank<Threads>>({});
}

TEST(Threads, Fence) {
  if (knows_fences) run_shm<FenceRank<Threads>>({});
}

TEST(Threads, Pscw) {
  if (knows_fences) run_shm<PscwRank<Threads>>({.start_waits = true});
}

TEST(Threads, Passive) {
  for (const auto& links : patterns())
    for (const Notify notify : {Notify::flag, Notify::counter})
      for (const bool puts : {true, false})
        for (const int slots : {0, 2}) {
          const Passive shape{links, notify, puts, slots, steps};
          run(shape.ranks(), window::all(shape.ranks()),
              [&](int me, SharedWord* memory) { PassiveRank<Threads>(shape, me, memory).run(); });
        }
}

TEST(Threads, Replicated) {
  for (const int ranks : {2, 3})
    for (const bool alone : {true, false})
      run(ranks, copy::all, [&](int me, SharedWord* memory) {
        replicated<Threads>({ranks, alone, steps}, me, memory);
      });
}

TEST(Threads, SequenceLock) {
  for (const std::size_t slots : {1, 2, 5})
    run(3, 8 * (1 + slots), [&](int me, SharedWord* memory) {
      sequence_lock<Threads>({.words = 4, .slots = slots, .messages = steps, .reads = steps}, me,
                             memory);
    });
}

TEST(Threads, RacyMessage) {
  run(3, 16, [&](int me, SharedWord* memory) {
    racy_message<Threads>({.words = 4, .slots = 1, .messages = steps, .reads = steps}, me, memory);
  });
}
