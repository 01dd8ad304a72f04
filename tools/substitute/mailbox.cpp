#include "mailbox.hpp"

namespace substitute {

namespace {

constexpr std::size_t header = 64;
static_assert(sizeof(Message) <= header && std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace

// A queue stays where it is for good: nobody asks when its receiver has looked at it for the last
// time. Its messages do not.
Outbox::Outbox(Commons& commons) : commons_(&commons), queue_(commons.take(sizeof(Queue))) {
  const Place first = obtained(0);
  posted_.push_back(first);
  shared()->first = first.place;
  shared()->taken.store(0, std::memory_order_relaxed);
}

Outbox::Place Outbox::obtained(std::size_t bytes) {
  const Place place{commons_->take(header + bytes), bytes, count_};
  Message* const message = at(place.place);
  message->next.store(0, std::memory_order_relaxed);
  message->bytes = bytes;
  return place;
}

std::byte* Outbox::room(std::size_t bytes) {
  ++count_;
  // The newest one taken is where the receiver looks for what comes after it.
  const std::uint64_t taken = shared()->taken.load(std::memory_order_acquire);
  next_ = {};
  while (posted_.size() > 1 && posted_.front().number < taken) {
    const Place old = posted_.front();
    posted_.pop_front();
    if (next_.place == 0 && old.capacity == bytes)
      next_ = {old.place, bytes, count_};
    else
      commons_->give(old.place, header + old.capacity);
  }
  if (next_.place == 0) next_ = obtained(bytes);
  Message* const message = at(next_.place);
  message->next.store(0, std::memory_order_relaxed);
  message->bytes = bytes;
  return message->data();
}

void Outbox::post() {
  at(posted_.back().place)->next.store(next_.place, std::memory_order_release);
  posted_.push_back(next_);
}

bool Outbox::clear() {
  const std::uint64_t taken = shared()->taken.load(std::memory_order_acquire);
  if (taken < count_) return false;
  for (const Place& place : posted_) commons_->give(place.place, header + place.capacity);
  posted_.clear();
  return true;
}

}  // namespace substitute
