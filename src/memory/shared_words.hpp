#pragma once
// Words that processes share, as protocols load and store them. A protocol takes the way to do so
// as a parameter: Processor in the library; in tests/protocols one under which every order is
// tried.

#include <atomic>
#include <cstdint>

namespace halocline::detail {

using SharedWord = std::uint64_t;

struct Processor {
  static SharedWord load(SharedWord* word, std::memory_order order) {
    return std::atomic_ref(*word).load(order);
  }
  static void store(SharedWord* word, SharedWord value, std::memory_order order) {
    std::atomic_ref(*word).store(value, order);
  }
  static void fence(std::memory_order order) { std::atomic_thread_fence(order); }
};
static_assert(std::atomic_ref<SharedWord>::is_always_lock_free, "words are shared by processes");

/// A counter of steps: one rank sets it, others watch it.
template <class Access>
class StepCounter {
 public:
  explicit StepCounter(SharedWord* word) : word_(word) {}
  /// What I did before, others may see who see the step.
  void set(std::uint64_t step) const { Access::store(word_, step, std::memory_order_release); }
  bool reached(std::uint64_t step) const {
    return Access::load(word_, std::memory_order_acquire) >= step;
  }

 private:
  SharedWord* word_;
};

}  // namespace halocline::detail
