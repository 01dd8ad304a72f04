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

  bool keeps(std::uint64_t number) const { return number < kFirst || number % stride == 0; }
};

// Stands for a number that is not known yet.
inline constexpr std::uint64_t kUnnumbered = UINT64_MAX;

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

// Is this one of a series, the last so far, kept? Then there is room for it.
template <class Record>
bool make_room(Kept& series, Store<Record>& store, std::uint64_t number) {
  if (!series.keeps(number)) return false;
  while (series.kept == Kept::kMost) {
    series.stride *= 2;
    std::uint32_t left = 0;
    for (std::uint32_t at = 0; at < series.kept; ++at) {
      if (series.keeps(series.numbers[at])) {
        series.numbers[left] = series.numbers[at];
        series.places[left++] = series.places[at];
      } else {
        store.drop(static_cast<std::int32_t>(series.places[at]));
      }
    }
    series.kept = left;
  }
  return series.keeps(number);
}

inline void keep(Kept& series, std::uint64_t number, std::int32_t place) {
  series.numbers[series.kept] = number;
  series.places[series.kept++] = static_cast<std::uint32_t>(place);
}

// The next of a series; no ticket if it is not kept.
template <class Record>
Ticket next_kept(Kept& series, Store<Record>& store, std::uint64_t* number) {
  *number = series.count++;
  if (!make_room(series, store, *number)) return {};
  Ticket ticket = store.add();
  if (ticket.place >= 0) keep(series, *number, ticket.place);
  return ticket;
}

// Messages alike in all that MPI matches them by: they arrive in the order in which they are sent.
struct ChannelName {
  std::int32_t comm;
  std::int32_t peer;  // of the communicator
  std::int32_t tag;
  std::uint8_t sent;
  std::uint8_t partitioned;
  bool operator==(const ChannelName&) const = default;
};

struct Channel {
  ChannelName name;
  std::uint8_t unknown;  // which numbers its messages have from here on
  Kept kept;
};

// Messages by their numbers in their channels, on both sides.
//
// The sender numbers messages as they begin. At the receiver, the first posted of the receives that
// met messages of a channel met the first. What a receive with wildcards meets is known only when
// it is complete; until then the messages of those posted after it that it may have been for are
// held without a number.
class Messages {
 public:
  Messages() : channels_(8192), index_(8192), store_(1 << 17), posted_(kPosted), lost_(kLost) {}

  // The next message of a channel is sent; no ticket if it is not kept.
  Ticket sent(const ChannelName& name, std::int32_t world_peer);
  // A receive is posted that can only meet messages of this channel, or has met one already.
  // `number`: the message's, if it is known.
  Ticket received(const ChannelName& name, std::int32_t world_peer, std::uint64_t* number);
  // One with wildcards (kAny): to be named when it has met its message; 0: there is no room.
  std::uint64_t posted(std::int32_t comm, std::int32_t peer, std::int32_t tag);
  // It has met one of this channel; `since`: when it was posted.
  Ticket met(std::uint64_t posting, const ChannelName& name, std::int32_t world_peer, Ticks since);
  // It has met none, as it was taken back.
  void withdrawn(std::uint64_t posting);
  // Nobody will know what it has met.
  void lost(std::uint64_t posting);
  // A receive of this channel with this number, posted then, was taken back.
  void withdrawn(const ChannelName& name, std::uint64_t number, Ticks since);

  Message* find(const Ticket& ticket) { return store_.find(ticket); }
  Message& operator[](std::int32_t place) { return store_[place]; }
  std::uint32_t size() const { return store_.size(); }
  std::uint64_t left_out() const { return left_out_; }

 private:
  static constexpr std::uint32_t kPosted = 1024;
  static constexpr std::uint32_t kLost = 64;
  static constexpr std::uint32_t kRecent = 256;
  // A receive in the order of posting.
  struct Posted {
    enum State : std::uint8_t { kOpen, kHeld, kGone };
    std::uint64_t posting;
    ChannelName name;  // of one that is open: with wildcards
    State state;
    Ticket ticket;  // of the message that is held
  };

  Channel* channel(const ChannelName& name);
  Channel* look_up(const ChannelName& name);
  Ticket record(const ChannelName& name, std::int32_t world_peer, Ticket ticket,
                std::uint64_t number);
  Ticket next(const ChannelName& name, std::int32_t world_peer, std::uint64_t* number);
  Ticket hold(Posted& posted, const ChannelName& name, std::int32_t world_peer);
  void uncertain(const ChannelName& name, Ticks since);
  bool may_be_lost(const ChannelName& name) const;
  bool waits(std::uint32_t place, const ChannelName& name) const;
  std::int64_t place_of(std::uint64_t posting) const;
  Posted* append(const ChannelName& name, Posted::State state);
  void gone(std::uint32_t place);
  void number_from(std::uint32_t place);

  Bounded<Channel> channels_;
  Index index_;
  std::uint32_t recent_[kRecent] = {};  // channels that were looked up
  Store<Message> store_;
  Bounded<Posted> posted_;
  std::uint32_t open_ = 0, held_ = 0;  // of those
  std::uint64_t postings_ = 0;
  Bounded<ChannelName> lost_;
  bool all_lost_ = false;
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
