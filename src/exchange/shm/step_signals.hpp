#pragma once
// The counters of shm:signal: who sets them in a step, and who waits for them.

#include "memory/cache_line.hpp"
#include "memory/shared_words.hpp"

#include <cstddef>
#include <vector>

namespace halocline::detail {

/// One rank's. In shared memory it has a counter of steps in which its cells are ready, and one for
/// each source whose cells it has read.
///
/// A numbered message has a few words and the number of its step in one cache line. Its receiver
/// polls that number, so the line that says that the message is there brings the message as well.
template <class Access>
class StepSignals {
 public:
  using Counter = StepCounter<Access>;
  struct Incoming {
    Counter ready, read;
    bool numbered;
  };
  struct Outgoing {
    Counter read;
    bool in_slots;  ///< two messages are used in turn
    bool numbered;
  };

  StepSignals(SharedWord* ready, bool readers_notify)
      : ready_(ready), readers_notify_(readers_notify) {}
  void add_source(Incoming source) { incoming_.push_back(source); }
  void add_target(Outgoing target) { outgoing_.push_back(target); }

  /// Where a message has its number, and how long it may be to have one.
  static constexpr std::size_t place_of_number = cache_line - sizeof(SharedWord);
  static SharedWord* number_of(std::byte* message) {
    return reinterpret_cast<SharedWord*>(message + place_of_number);
  }

  /// My cells of this step may be read; `message_to(target)` is where they lie.
  template <class MessageTo>
  void announce(const MessageTo& message_to) {
    ++step_;
    bool all_numbered = true;
    for (std::size_t i = 0; i < outgoing_.size(); ++i)
      if (outgoing_[i].numbered)
        Counter(number_of(message_to(i))).set(step_);
      else
        all_numbered = false;
    if (!all_numbered) ready_.set(step_);
  }
  /// Those of a source may be, in its message of this step.
  bool arrived(std::size_t source, std::byte* message) const {
    if (incoming_[source].numbered) return Counter(number_of(message)).reached(step_);
    return incoming_[source].ready.reached(step_);
  }
  /// I have read them.
  void release(std::size_t source) const {
    if (readers_notify_) incoming_[source].read.set(step_);
  }
  /// All targets have read what I write to next: where two messages are used in turn, that of the
  /// step before. A reader that is late by less than a step delays nobody.
  bool reclaimed() const {
    if (!readers_notify_) return true;
    for (const Outgoing& target : outgoing_)
      if (!target.read.reached(target.in_slots ? step_ - 1 : step_)) return false;
    return true;
  }

 private:
  Counter ready_;
  bool readers_notify_;
  std::vector<Incoming> incoming_;
  std::vector<Outgoing> outgoing_;
  std::uint64_t step_ = 0;
};

}  // namespace halocline::detail
