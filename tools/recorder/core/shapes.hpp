// Shapes: a rank's part of an exchange, as it happens (an episode) and as it happens again and
// again.
#pragma once

#include "bounded.hpp"
#include "calls.hpp"
#include "messages.hpp"

namespace recorder {

// The last: a receive that was taken back, which is in no shape.
enum class LinkKind : std::uint8_t { kSend, kReceive, kPut, kGet, kAccumulate, kCancelled };

struct Link {
  LinkKind kind = LinkKind::kSend;
  std::uint8_t complete = 0;
  std::int32_t comm = kAbsent;
  std::int32_t peer = kAny;  // of the world
  std::int32_t tag = kAbsent;
  std::int32_t layout = -1;
  std::int32_t call = -1;
  std::int64_t count = 0;
  std::int64_t bytes = 0;
};

// Bits of how an exchange is started, and of how it is finished.
enum Way : std::uint32_t {
  kBlocking = 1,
  kNonblocking = 2,
  kPersistent = 4,
  kPartitioned = 8,
  kNeighbor = 16,
  kNeighborNonblocking = 32,
  kNeighborPersistent = 64,
  kFence = 128,
  kPscw = 256,
  kLock = 512,
};
enum Finish : std::uint32_t {
  kNone = 0,
  kWaitall = 1,
  kWait = 2,
  kWaitany = 4,
  kWaitsome = 8,
  kTest = 16
};

// Up to 256 of a series, spread evenly over it.
struct Samples {
  static constexpr std::uint32_t kMost = 256;
  std::uint32_t count = 0;
  std::uint32_t stride = 1;
  std::uint64_t seen = 0;
  float first[kMost];
  float second[kMost];
  float third[kMost];

  void add(float one, float other, float another) {
    if (seen++ % stride != 0) return;
    if (count == kMost) {
      for (std::uint32_t at = 0; at < kMost / 2; ++at) {
        first[at] = first[2 * at];
        second[at] = second[2 * at];
        third[at] = third[2 * at];
      }
      count = kMost / 2;
      stride *= 2;
      if ((seen - 1) % stride != 0) return;
    }
    first[count] = one;
    second[count] = other;
    third[count++] = another;
  }
};

// The longest of a series, and at which place in it each was.
struct Longest {
  static constexpr std::uint32_t kMost = 16;
  struct One {
    std::uint64_t number;
    Ticks time;
    std::int64_t processor;  // ns of it on one; -1: not known
  };
  std::uint32_t count = 0;
  One some[kMost];

  void add(const One& one) {
    if (count < kMost) {
      some[count++] = one;
      return;
    }
    One* shortest = some;
    for (One& other : some)
      if (other.time < shortest->time) shortest = &other;
    if (one.time > shortest->time) *shortest = one;
  }
};

struct Shape {
  std::uint64_t hash;
  std::uint64_t outline;
  std::uint32_t way;
  std::uint32_t finish;
  std::uint32_t first_link;
  std::uint32_t links;
  std::uint32_t first_call;
  std::uint32_t calls;
  std::uint8_t varied;  // it stands for several with other sizes or tags
  std::uint64_t times;
  Ticks start;
  Ticks finished;
  Ticks inside;
  Ticks before;
  Ticks own;
  std::int64_t least;
  std::int64_t most;
  Samples samples;  // in MPI, outside of it before, and that part of it on a processor
  Longest longest;  // outside of MPI before
};

struct Thread;

// An exchange under way.
class Episode {
 public:
  static constexpr std::uint32_t kLinks = 4096;
  static constexpr std::uint32_t kCalls = 1024;
  static constexpr std::uint32_t kTickets = 256;

  Episode() : links_(kLinks), calls_(kCalls), tickets_(kTickets) {}

  bool open() const { return open_; }
  // It ends where the window's epoch does, not when its requests are complete.
  bool of_window() const { return of_window_; }
  void set_of_window() { of_window_ = true; }
  bool lingering() const { return open_ && under_way_ == 0; }
  std::uint32_t serial() const { return serial_; }
  std::uint32_t links() const { return links_.size(); }
  bool full() const { return links_.full(); }
  Link& link(std::uint32_t at) { return links_[at]; }

  // `thread`: whose time outside of MPI counts.
  void begin(Thread& thread, std::uint32_t serial);
  // Without the links that came to nothing, and those of which nobody knows yet whose they are.
  void tidy();
  // Its place in the episode, or -1 if there is no room.
  std::int64_t add(const Link& link, bool under_way);
  // `own`: of the recorder, in that call.
  void called(std::uint32_t call, Ticks own) {
    own_ += own;
    if (calls_.size() == 0 || calls_.back() != call) calls_.add(call);
  }
  void kept(const Ticket& message) {
    if (message.place >= 0) tickets_.add(message);
  }
  void started(Ticks time, std::uint32_t way) {
    start_ += time;
    way_ |= way;
  }
  void asked(Ticks own) { own_ += own; }
  void finishing(Ticks time, std::uint32_t finish) {
    finish_time_ += time;
    finish_ |= finish;
  }
  void cancelled() { cancelled_ = true; }
  void add_under_way(int count) { under_way_ += count; }
  std::int64_t under_way() const { return under_way_; }
  // All there is of it has happened; `outside`: of the thread by then.
  void close();
  void touched();  // by a call of its own just now: what comes after it is not inside

 private:
  friend class Shapes;
  Bounded<Link> links_;
  Bounded<std::uint32_t> calls_;
  Bounded<Ticket> tickets_;
  Thread* thread_ = nullptr;
  bool open_ = false;
  bool of_window_ = false;
  bool cancelled_ = false;
  std::uint32_t serial_ = 0;
  std::int64_t under_way_ = 0;
  std::uint32_t way_ = 0;
  std::uint32_t finish_ = 0;
  Ticks start_ = 0;
  Ticks finish_time_ = 0;
  Ticks own_ = 0;
  Ticks before_ = 0;
  std::int64_t processor_before_ = -1;  // ns of it on one; -1: not known of most of it
  Ticks outside_at_begin_ = 0;
  Ticks outside_at_touch_ = 0;
  Ticks timed_at_touch_ = 0;
  std::int64_t processor_at_touch_ = 0;
};

class Shapes {
 public:
  Shapes()
      : shapes_(kMost),
        links_(1 << 17),
        calls_(1 << 17),
        index_(kMost),
        outlines_(2 * kMost),
        variants_(2 * kMost) {}

  // The shape that an episode is one more time of; -1: there is no room.
  std::int32_t add(Episode& episode);

  std::uint32_t size() const { return shapes_.size(); }
  const Shape& operator[](std::uint32_t number) const { return shapes_[number]; }
  const Link& link(std::uint32_t place) const { return links_[place]; }
  std::uint32_t call(std::uint32_t place) const { return calls_[place]; }
  std::uint64_t left_out() const { return left_out_; }

 private:
  static constexpr std::uint32_t kMost = 4096;
  // So many with other sizes are told apart.
  static constexpr std::uint32_t kVariants = 8;

  std::int64_t find(std::uint64_t hash, bool varied) const;

  Bounded<Shape> shapes_;
  Bounded<Link> links_;
  Bounded<std::uint32_t> calls_;
  Index index_;
  HandleMap outlines_;
  Bounded<std::uint32_t> variants_;
  std::uint64_t left_out_ = 0;
};

}  // namespace recorder
