#pragma once
// Messages that wait in the memory of their sender: it starts without waiting for anybody, and a
// receiver takes them when it likes, with no help of the sender's.
//
// A queue leads from a sender to a receiver. It is a chain of messages without an end: the sender
// appends, and memory that the receiver is through with it uses again.

#include "commons.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace substitute {

/// In shared memory, zeros at first.
struct Message {
  std::atomic<std::uint64_t> next;  ///< place of the one that comes after it; 0: not yet there
  std::uint64_t bytes;
  std::byte* data() { return reinterpret_cast<std::byte*>(this) + 64; }
};
/// In shared memory, too. The first message of a queue is an empty one that has been taken.
struct alignas(64) Queue {
  std::uint64_t first;
  alignas(64) std::atomic<std::uint64_t> taken;  ///< so many has the receiver been through
};

class Outbox {
 public:
  explicit Outbox(Commons& commons);
  Outbox(Outbox&&) = default;
  /// Place of the queue, for its receiver.
  std::uint64_t queue() const { return queue_; }
  /// Room for the next message, which `post` makes known.
  std::byte* room(std::size_t bytes);
  void post();
  /// Gives the memory of messages back that have been taken. Whether that is all of them, when
  /// nothing is posted any more.
  bool clear();

 private:
  struct Place {
    std::uint64_t place;
    std::size_t capacity;
    std::uint64_t number;
  };
  Message* at(std::uint64_t place) const {
    return reinterpret_cast<Message*>(commons_->mine() + place);
  }
  Queue* shared() const { return reinterpret_cast<Queue*>(commons_->mine() + queue_); }
  Place obtained(std::size_t bytes);

  Commons* commons_;
  std::uint64_t queue_;
  std::deque<Place> posted_;  // the oldest of them is the newest that has been taken
  Place next_{};
  std::uint64_t count_ = 0;
};

class Inbox {
 public:
  Inbox() = default;
  Inbox(std::byte* senders, std::uint64_t queue)
      : senders_(senders),
        queue_(reinterpret_cast<Queue*>(senders + queue)),
        last_(reinterpret_cast<Message*>(senders + queue_->first)) {}
  /// The next message; null if it is not yet there. It stays until `take`.
  Message* next() const {
    const std::uint64_t place = last_->next.load(std::memory_order_acquire);
    return place == 0 ? nullptr : reinterpret_cast<Message*>(senders_ + place);
  }
  void take() {
    last_ = next();
    queue_->taken.store(++taken_, std::memory_order_release);
  }
  std::uint64_t taken() const { return taken_; }

 private:
  std::byte* senders_ = nullptr;
  Queue* queue_ = nullptr;
  Message* last_ = nullptr;
  std::uint64_t taken_ = 0;
};

}  // namespace substitute
