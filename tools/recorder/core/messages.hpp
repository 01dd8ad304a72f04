// Some of the messages and of the collectives, with their times: the same ones on all sides, for
// which they are only counted.
#pragma once

#include "bounded.hpp"
#include "clock.hpp"

namespace recorder {

// Which of a series are kept: the first 16, then those whose number divides by a power of two that
// doubles as often as more than 64 are kept.
struct Kept {
  static constexpr std::uint32_t kFirst = 16;
  static constexpr std::uint32_t kMost = 64;
  std::uint64_t count = 0;  // of the series so far
  std::uint64_t stride = 1;
  std::uint32_t places[kMost] = {};
  std::uint64_t numbers[kMost] = {};
  std::uint32_t kept = 0;
};

struct Message {
  std::uint64_t stamp = 0;  // of this one among all; 0: its place is free
  std::uint8_t sent = 0;
  std::uint8_t partitioned = 0;
  std::int32_t comm = 0;
  std::int32_t peer = 0;  // of the world
  std::int32_t tag = 0;
  std::uint64_t number = 0;
  std::int32_t shape = -1;
  Ticks posted = 0;
  Ticks waited = 0;
  Ticks done = 0;
};

struct Meeting {
  std::uint64_t stamp = 0;
  std::int32_t comm = 0;  // or the window, if `window`
  std::uint8_t window = 0;
  std::uint64_t number = 0;
  std::int32_t call = 0;
  std::int64_t bytes = 0;
  Ticks enter = 0;
  Ticks leave = 0;
};

// Where a record is, for who comes back to it: its place may belong to another by then.
struct Ticket {
  std::int32_t place = -1;
  std::uint64_t stamp = 0;
};

// Records of a kind, a bounded number of them; the places of those no longer kept are used again.
template <class Record>
class Store {
 public:
  explicit Store(std::uint32_t most) : records_(most), free_(most) {}
  // No place: there is no room.
  Ticket add() {
    Ticket ticket;
    if (free_.size() > 0) {
      ticket.place = static_cast<std::int32_t>(free_.back());
      free_.shrink(free_.size() - 1);
    } else if (records_.add({})) {
      ticket.place = static_cast<std::int32_t>(records_.size() - 1);
    } else {
      return {};
    }
    ticket.stamp = ++stamps_;
    return ticket;
  }
  // Null: it is no longer kept.
  Record* find(const Ticket& ticket) {
    if (ticket.place < 0) return nullptr;
    Record& record = records_[static_cast<std::uint32_t>(ticket.place)];
    return record.stamp == ticket.stamp ? &record : nullptr;
  }
  void drop(std::int32_t place) {
    records_[static_cast<std::uint32_t>(place)] = {};
    free_.add(static_cast<std::uint32_t>(place));
  }
  Record& operator[](std::int32_t place) { return records_[static_cast<std::uint32_t>(place)]; }
  std::uint32_t size() const { return records_.size(); }

 private:
  Bounded<Record> records_;
  Bounded<std::uint32_t> free_;
  std::uint64_t stamps_ = 0;
};

// The next of a series; no ticket if it is not kept.
template <class Record>
Ticket next_kept(Kept& series, Store<Record>& store, std::uint64_t* number) {
  *number = series.count++;
  if (*number >= Kept::kFirst && *number % series.stride != 0) return {};
  if (series.kept == Kept::kMost) {
    while (series.kept == Kept::kMost) {
      series.stride *= 2;
      std::uint32_t left = 0;
      for (std::uint32_t at = 0; at < series.kept; ++at) {
        if (series.numbers[at] < Kept::kFirst || series.numbers[at] % series.stride == 0) {
          series.numbers[left] = series.numbers[at];
          series.places[left++] = series.places[at];
        } else {
          store.drop(static_cast<std::int32_t>(series.places[at]));
        }
      }
      series.kept = left;
    }
    if (*number % series.stride != 0) return {};
  }
  Ticket ticket = store.add();
  if (ticket.place < 0) return ticket;
  series.numbers[series.kept] = *number;
  series.places[series.kept++] = static_cast<std::uint32_t>(ticket.place);
  return ticket;
}

struct Channel {
  std::int32_t comm;
  std::int32_t peer;  // of the communicator
  std::int32_t tag;
  std::uint8_t sent;
  std::uint8_t partitioned;
  std::uint8_t named;     // receives that named their source and tag
  std::uint8_t wildcard;  // and such that did not: the order in which they were met is not known
  Kept kept;
};

class Messages {
 public:
  Messages() : channels_(8192), index_(8192), store_(1 << 17) {}

  // The next message of a channel; no ticket if it is not kept.
  Ticket next(std::int32_t comm, std::int32_t peer, std::int32_t world_peer, std::int32_t tag,
              bool sent, bool partitioned, bool wildcard);
  Message* find(const Ticket& ticket) { return store_.find(ticket); }
  // A receive of this channel was taken back: which number the next one has is not known.
  void uncertain(std::int32_t comm, std::int32_t peer, std::int32_t tag);
  Message& operator[](std::int32_t place) { return store_[place]; }
  std::uint32_t size() const { return store_.size(); }
  std::uint64_t left_out() const { return left_out_; }

 private:
  Channel* find_channel(std::uint64_t hash, std::int32_t comm, std::int32_t peer, std::int32_t tag,
                        bool sent, bool partitioned);

  Bounded<Channel> channels_;
  Index index_;
  Store<Message> store_;
  std::uint64_t left_out_ = 0;
};

class Meetings {
 public:
  Meetings() : series_(2048), store_(1 << 16), index_(2048) {}
  // The next collective of a communicator, or of a window.
  Ticket next(std::int32_t comm, bool window);
  Meeting* find(const Ticket& ticket) { return store_.find(ticket); }
  Meeting& operator[](std::int32_t place) { return store_[place]; }
  std::uint32_t size() const { return store_.size(); }
  std::uint64_t left_out() const { return left_out_; }

 private:
  struct Series {
    std::int32_t comm;
    std::uint8_t window;
    Kept kept;
  };
  Bounded<Series> series_;
  Store<Meeting> store_;
  Index index_;
  std::uint64_t left_out_ = 0;
};

}  // namespace recorder
