#pragma once
// The ranks of the shm methods, as Shm (src/exchange/shm/shm.hpp) and the methods' files have them:
// the same names in the same order. The counters of shm:signal are the library's own code.
//
// A message, or a rank's field, is a cell, and holds whose it is and of which step.

#include "exchange/shm/step_signals.hpp"
#include "memory/shared_words.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace protocols {

using halocline::detail::SharedWord;
using halocline::detail::StepSignals;

struct Links {
  std::vector<int> targets, sources;
};

enum class CellsIn {
  slots,  ///< two messages a link, in turn
  field,  ///< access=copy
  place,  ///< access=direct: two fields in turn, read until the next step begins
};

/// What all ranks know of each other.
struct Shape {
  std::vector<Links> links{};  ///< of each rank
  CellsIn cells = CellsIn::slots;
  bool numbered = false;     ///< messages bring their numbers
  bool one_slot = false;     ///< in place of two
  bool start_waits = false;  ///< MPI_Win_start waits for MPI_Win_post
  int steps = 4, exchanges = 1;

  int ranks() const { return static_cast<int>(links.size()); }
  /// Every rank that I send to sends to me.
  bool two_way() const {
    for (const Links& one : links)
      if (one.targets != one.sources) return false;
    return true;
  }
  bool readers_notify() const {
    return cells == CellsIn::field || (cells == CellsIn::slots && !two_way());
  }
};

inline SharedWord value_of(int rank, int exchange, int step) {
  return static_cast<SharedWord>(1000 * exchange + 10 * step + rank);
}

/// Where each word lies: a line of 8 for what must lie together.
namespace place {
constexpr std::size_t line = 8;
constexpr std::size_t of_rank(int rank) {
  return static_cast<std::size_t>(rank) * 16 * line;
}
constexpr std::size_t ready(int rank) {
  return of_rank(rank);
}
constexpr std::size_t read(int rank, int source) {
  return of_rank(rank) + (1 + static_cast<std::size_t>(source)) * line;
}
constexpr std::size_t field(int rank, std::size_t slot) {
  return of_rank(rank) + (4 + slot) * line;
}
constexpr std::size_t message(int rank, int target, std::size_t slot) {
  return of_rank(rank) + (6 + 2 * static_cast<std::size_t>(target) + slot) * line;
}
/// The last word of the message's line.
constexpr std::size_t number(int rank, int target, std::size_t slot) {
  return message(rank, target, slot) + line - 1;
}
constexpr std::size_t posted(int rank, int other) {
  return of_rank(rank) + (12 + static_cast<std::size_t>(other)) * line;
}
constexpr std::size_t all(int ranks) {
  return of_rank(ranks);
}
}  // namespace place

/// Gives the words their names. `Words` as in search.hpp.
template <class Words>
void name_cells(Words& words, const Shape& shape) {
  for (int rank = 0; rank < shape.ranks(); ++rank) {
    const Links& links = shape.links[static_cast<std::size_t>(rank)];
    const std::string to = " to rank ";
    if (shape.cells == CellsIn::slots)
      for (const int target : links.targets)
        for (const std::size_t slot : {0, 1})
          words.name(place::message(rank, target, slot), "message" + to + std::to_string(target),
                     rank);
    else
      for (const std::size_t slot : {0, 1}) words.name(place::field(rank, slot), "field", rank);
  }
}

// ---- what the methods share ----

/// Shm's step. `Method` derives from it and has announce, arrived, release and reclaimed.
template <class Access, class Method>
class ShmRank {
 public:
  ShmRank(const Shape& shape, int me, SharedWord* memory, int exchange)
      : shape_(shape), me_(me), exchange_(exchange), memory_(memory) {}

  void run() {
    for (step_ = 1; step_ <= shape_.steps; ++step_) {
      sweep();
      begin_step();
      end_step();
      look();
      Access::settle(value_of(0, exchange_, step_));
    }
  }

 protected:
  const std::vector<int>& targets() const { return my_links().targets; }
  const std::vector<int>& sources() const { return my_links().sources; }
  int me() const { return me_; }
  bool readers_notify() const { return shape_.readers_notify(); }
  const Shape& shape() const { return shape_; }
  SharedWord* word(std::size_t place) const { return memory_ + place; }
  SharedWord* message_to(std::size_t target) const {
    return word(place::message(me_, targets()[target], slot_));
  }
  SharedWord* message_from(std::size_t source) const {
    return word(place::message(sources()[source], me_, slot_));
  }
  int step() const { return step_; }

 private:
  Method& method() { return static_cast<Method&>(*this); }
  const Links& my_links() const { return shape_.links[static_cast<std::size_t>(me_)]; }
  /// The field of this step: with halos read in place there are two in turn.
  SharedWord* field_of(int rank) const {
    const bool in_turn = shape_.cells == CellsIn::place;
    return word(place::field(rank, in_turn ? static_cast<std::size_t>(step_ % 2) : 0));
  }

  // The caller: writes its cells before a step, and reads halos after it.
  void sweep() {
    if (shape_.cells != CellsIn::slots) Access::put(field_of(me_), value_of(me_, exchange_, step_));
  }
  void look() {
    if (shape_.cells != CellsIn::place) return;
    for (const int source : sources()) check(source, Access::get(field_of(source)));
    // Without an answer nothing says when the neighbour has read my cells.
    if (!shape_.two_way()) Access::meet("the caller's barrier", Access::Meeting::ordering);
  }
  void check(int source, SharedWord value) const {
    Access::expect(value == value_of(source, exchange_, step_), "cells of another step");
  }

  void begin_step() {
    fill_messages();
    Access::at("announce");
    method().announce();
  }
  void end_step() {
    Access::take_all(
        sources().size(), "arrived",
        [&](std::size_t source) {
          Access::at("arrived");
          return method().arrived(source);
        },
        [&](std::size_t source) {
          take(source);
          Access::at("release");
          method().release(source);
        });
    Access::at("reclaimed");
    Access::wait("reclaimed", [&] { return method().reclaimed(); });
    method().reclaimed_all();
  }
  void fill_messages() {
    if (shape_.cells != CellsIn::slots) return;
    if (!shape_.one_slot && !Access::leaves_out("the second slot")) slot_ = 1 - slot_;
    for (std::size_t i = 0; i < targets().size(); ++i)
      Access::put(message_to(i), value_of(me_, exchange_, step_));
  }
  void take(std::size_t source) {
    const int rank = sources()[source];
    if (shape_.cells == CellsIn::slots) check(rank, Access::get(message_from(source)));
    if (shape_.cells == CellsIn::field) check(rank, Access::get(field_of(rank)));
  }

  const Shape& shape_;
  int me_, exchange_;
  SharedWord* memory_;
  int step_ = 0;
  std::size_t slot_ = 0;
};

// ---- the methods ----

template <class Access>
class SignalRank : public ShmRank<Access, SignalRank<Access>> {
  using Base = ShmRank<Access, SignalRank<Access>>;
  using Signals = StepSignals<Access>;
  using Counter = typename Signals::Counter;

 public:
  SignalRank(const Shape& shape, int me, SharedWord* memory, int exchange)
      : Base(shape, me, memory, exchange),
        signals_(this->word(place::ready(me)), this->readers_notify()) {
    const bool in_slots = shape.cells == CellsIn::slots, numbered = in_slots && shape.numbered;
    for (const int source : this->sources())
      signals_.add_source({.ready = Counter(this->word(place::ready(source))),
                           .read = Counter(this->word(place::read(me, source))),
                           .numbered = numbered});
    for (const int target : this->targets())
      signals_.add_target({.read = Counter(this->word(place::read(target, me))),
                           .in_slots = in_slots,
                           .numbered = numbered});
  }

  void announce() {
    signals_.announce([&](std::size_t target) { return bytes(this->message_to(target)); });
  }
  bool arrived(std::size_t source) const {
    return signals_.arrived(source, bytes(this->message_from(source)));
  }
  void release(std::size_t source) const { signals_.release(source); }
  bool reclaimed() const { return signals_.reclaimed(); }
  void reclaimed_all() const {}

  template <class Words>
  static void name(Words& words, const Shape& shape) {
    name_cells(words, shape);
    for (int rank = 0; rank < shape.ranks(); ++rank) {
      const Links& links = shape.links[static_cast<std::size_t>(rank)];
      if (!shape.numbered) words.name(place::ready(rank), "ready", rank);
      if (shape.numbered)
        for (const int target : links.targets)
          for (const std::size_t slot : {0, 1})
            words.name(place::number(rank, target, slot), "number", rank);
      if (shape.readers_notify())
        for (const int source : links.sources) words.name(place::read(rank, source), "read", rank);
    }
  }
  /// SharedPool::take: my words are zero, and nobody has looked at them before.
  static void zero(const Shape& shape, int me, SharedWord* memory) {
    const auto clear = [&](std::size_t at) {
      Access::store(memory + at, 0, std::memory_order_relaxed);
    };
    const Links& links = shape.links[static_cast<std::size_t>(me)];
    if (!shape.numbered) clear(place::ready(me));
    if (shape.numbered)
      for (const int target : links.targets)
        for (const std::size_t slot : {0, 1}) clear(place::number(me, target, slot));
    if (shape.readers_notify())
      for (const int source : links.sources) clear(place::read(me, source));
  }

 private:
  static std::byte* bytes(SharedWord* message) { return reinterpret_cast<std::byte*>(message); }
  Signals signals_;
};

/// What the methods by MPI share. MPI itself may order nothing: that is what the fences are for.
template <class Access>
struct Mpi {
  static void sync_release() { Access::fence(std::memory_order_release); }
  static void sync_acquire() { Access::fence(std::memory_order_acquire); }
  /// An empty message: the one of step `step`.
  static void send(SharedWord* way, int step) {
    Access::store(way, static_cast<SharedWord>(step), std::memory_order_relaxed);
  }
  static bool received(SharedWord* way, int step) {
    return Access::load(way, std::memory_order_relaxed) >= static_cast<SharedWord>(step);
  }
};

/// Those that are told by an empty message when cells are ready, and when they have been read.
template <class Access, class Derived>
class NotifiedRank : public ShmRank<Access, Derived> {
  using Base = ShmRank<Access, Derived>;
  using M = Mpi<Access>;

 public:
  using Base::Base;

  void announce() {
    M::sync_release();
    for (const int target : this->targets()) M::send(ready(this->me(), target), this->step());
  }
  bool reclaimed() const {
    if (this->readers_notify())
      for (const int target : this->targets())
        if (!M::received(read(target, this->me()), this->step())) return false;
    return true;
  }
  void reclaimed_all() const { M::sync_acquire(); }

  template <class Words>
  static void name(Words& words, const Shape& shape) {
    name_cells(words, shape);
    for (int rank = 0; rank < shape.ranks(); ++rank) {
      const Links& links = shape.links[static_cast<std::size_t>(rank)];
      for (const int target : links.targets)
        words.name(place::posted(rank, target), "ready message", rank);
      if (shape.readers_notify())
        for (const int source : links.sources)
          words.name(place::read(rank, source), "read message", rank);
    }
  }

 protected:
  SharedWord* ready(int from, int to) const { return this->word(place::posted(from, to)); }
  SharedWord* read(int from, int to) const { return this->word(place::read(from, to)); }
};

template <class Access>
class MessageRank : public NotifiedRank<Access, MessageRank<Access>> {
  using Base = NotifiedRank<Access, MessageRank<Access>>;
  using M = Mpi<Access>;

 public:
  using Base::Base;

  bool arrived(std::size_t source) const {
    if (!M::received(this->ready(this->sources()[source], this->me()), this->step())) return false;
    M::sync_acquire();
    return true;
  }
  void release(std::size_t source) const {
    if (!this->readers_notify()) return;
    M::sync_release();
    M::send(this->read(this->me(), this->sources()[source]), this->step());
  }
};

template <class Access>
class FenceRank : public ShmRank<Access, FenceRank<Access>>, Mpi<Access> {
  using Base = ShmRank<Access, FenceRank<Access>>;
  using M = Mpi<Access>;

 public:
  using Base::Base;

  void announce() { fence(); }
  bool arrived(std::size_t) const { return true; }
  void release(std::size_t) const {}
  bool reclaimed() const { return true; }
  void reclaimed_all() const {
    if (this->readers_notify()) fence();
  }

  template <class Words>
  static void name(Words& words, const Shape& shape) {
    name_cells(words, shape);
  }

 private:
  void fence() const {
    M::sync_release();
    Access::meet("MPI_Win_fence", Access::Meeting::bare);
    M::sync_acquire();
  }
};

/// Post-start-complete-wait as the standard has it: MPI_Win_test is true once all origins have
/// completed; MPI_Win_start may wait for the posts or not.
template <class Access>
class PscwRank : public NotifiedRank<Access, PscwRank<Access>> {
  using Base = NotifiedRank<Access, PscwRank<Access>>;
  using M = Mpi<Access>;

 public:
  using Base::Base;

  void announce() {
    if (this->shape().start_waits) {
      for (const int source : this->sources()) M::send(post(this->me(), source), this->step());
      for (const int target : this->targets())
        Access::wait("MPI_Win_start",
                     [&] { return M::received(post(target, this->me()), this->step()); });
    }
    Base::announce();
    unread_ = this->sources().size();
    notified_ = false;
  }
  bool arrived(std::size_t) {
    if (!notified_)
      for (const int source : this->sources())
        if (!M::received(this->ready(source, this->me()), this->step())) return false;
    notified_ = true;
    M::sync_acquire();
    return true;
  }
  void release(std::size_t) {
    if (!this->readers_notify() || --unread_ > 0) return;
    M::sync_release();
    for (const int source : this->sources()) M::send(this->read(this->me(), source), this->step());
  }

  template <class Words>
  static void name(Words& words, const Shape& shape) {
    Base::name(words, shape);
    if (!shape.start_waits) return;
    for (int rank = 0; rank < shape.ranks(); ++rank)
      for (const int source : shape.links[static_cast<std::size_t>(rank)].sources)
        words.name(place::ready(rank) + 1 + static_cast<std::size_t>(source), "post", rank);
  }

 private:
  SharedWord* post(int from, int to) const {
    return this->word(place::ready(from) + 1 + static_cast<std::size_t>(to));
  }
  std::size_t unread_ = 0;
  bool notified_ = false;
};

/// An exchange after the other in the same memory: its ranks meet, its words become zero, and
/// nobody uses them before.
template <class Access>
void signal_exchanges(const Shape& shape, int me, SharedWord* memory) {
  for (int exchange = 0; exchange < shape.exchanges; ++exchange) {
    if (shape.exchanges > 1) {
      Access::meet("SharedPool::take: all have given back", Access::Meeting::ordering);
      if (!Access::leaves_out("zeroed memory")) SignalRank<Access>::zero(shape, me, memory);
      Access::meet("trade: where the words are", Access::Meeting::ordering);
    }
    SignalRank<Access>(shape, me, memory, exchange).run();
  }
}

}  // namespace protocols
