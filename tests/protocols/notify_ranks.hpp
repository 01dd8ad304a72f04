#pragma once
// Ranks of the passive methods (src/exchange/rma/rma_passive.cpp): who is notified of a message,
// and who permits the next one (src/exchange/core/notify.cpp), by words that are replaced
// (notify=flag) or added to (notify=counter). The same names in the same order.
//
// What MPI moves it may move at any time until it is complete: here at the beginning and at the
// end.

#include "memory/shared_words.hpp"
#include "shm_ranks.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace protocols {

enum class Notify { flag, counter };

struct Passive {
  std::vector<Links> links{};
  Notify notify = Notify::flag;
  bool puts = true;
  int slots = 2;  ///< 0: in the fields themselves
  int steps = 6;

  int ranks() const { return static_cast<int>(links.size()); }
  bool two_way() const { return Shape{.links = links}.two_way(); }
  bool permits() const { return slots < 2 || !two_way(); }
  const Links& of(int rank) const { return links[static_cast<std::size_t>(rank)]; }
};

namespace window {
constexpr std::size_t of_rank(int rank) {
  return static_cast<std::size_t>(rank) * 32;
}
/// What is put at a target, or got from a source, for the other of the two.
constexpr std::size_t slot(int rank, int other, std::size_t slot) {
  return of_rank(rank) + 2 * static_cast<std::size_t>(other) + slot;
}
/// The words of a direction (0: arrivals, 1: permits): a flag for each source, or two counters.
constexpr std::size_t notice(int rank, int way, std::size_t which) {
  return of_rank(rank) + 8 + 8 * static_cast<std::size_t>(way) + which;
}
constexpr std::size_t all(int ranks) {
  return of_rank(ranks);
}
}  // namespace window

template <class Access>
class Notifier {
 public:
  Notifier(Notify how, int way, int me, const std::vector<int>& targets,
           const std::vector<int>& sources, SharedWord* memory)
      : how_(how),
        way_(way),
        me_(me),
        targets_(targets),
        sources_(sources),
        memory_(memory),
        sent_(targets.size(), 0) {}

  void signal(std::size_t link) {
    const std::size_t which =
        how_ == Notify::flag ? static_cast<std::size_t>(me_) : sent_[link] % 2;
    SharedWord* const word = memory_ + window::notice(targets_[link], way_, which);
    ++sent_[link];
    if (how_ == Notify::flag)
      Access::store(word, sent_[link], std::memory_order_release);
    else
      Access::add(word, 1);
  }
  void await() {
    const char* const what = way_ == 0 ? "arrivals" : "permits";
    if (how_ == Notify::flag) {
      ++step_;
      for (const int source : sources_) wait(what, static_cast<std::size_t>(source), step_);
      return;
    }
    const std::size_t parity = step_++ % 2;
    expected_[parity] += sources_.size();
    wait(what, parity, expected_[parity]);
  }

 private:
  void wait(const char* what, std::size_t which, SharedWord value) const {
    SharedWord* const word = memory_ + window::notice(me_, way_, which);
    Access::wait(what, [&] { return Access::load(word, std::memory_order_acquire) >= value; });
  }

  Notify how_;
  int way_, me_;
  std::vector<int> targets_, sources_;
  SharedWord* memory_;
  std::vector<SharedWord> sent_;
  SharedWord step_ = 0, expected_[2] = {0, 0};
};

template <class Access>
class PassiveRank {
 public:
  PassiveRank(const Passive& shape, int me, SharedWord* memory)
      : shape_(shape),
        me_(me),
        memory_(memory),
        arrivals_(shape.notify, 0, me, targets(), sources(), memory),
        permits_(shape.notify, 1, me, sources(), targets(), memory) {}

  void run() {
    for (step_ = 1; step_ <= shape_.steps; ++step_) {
      sweep();
      start();
      finish();
      look();
      Access::settle(static_cast<SharedWord>(step_));
    }
    // ~Handshake: the permissions for steps that do not come are on their way all the same.
    for (; shape_.permits() && unasked_ > 0; --unasked_) permits_.await();
  }

  template <class Words>
  static void name(Words& words, const Passive& shape) {
    for (int rank = 0; rank < shape.ranks(); ++rank) {
      const Links& links = shape.of(rank);
      const std::size_t slots = shape.slots == 2 ? 2 : 1;
      if (!shape.puts && shape.slots == 0) words.name(window::slot(rank, rank, 0), "field", rank);
      for (const int other : shape.puts ? links.sources : links.targets)
        for (std::size_t slot = 0; slot < slots && (shape.puts || shape.slots > 0); ++slot)
          words.name(window::slot(rank, other, slot), shape.slots == 2 ? "slot" : "halo", rank);
      for (const int way : {0, 1}) {
        const std::vector<int>& from = way == 0 ? links.sources : links.targets;
        if (way == 1 && !shape.permits()) continue;
        const char* const what = way == 0 ? "arrivals" : "permits";
        if (shape.notify == Notify::counter)
          for (const std::size_t parity : {0, 1})
            words.name(window::notice(rank, way, parity), what, rank);
        else
          for (const int source : from)
            words.name(window::notice(rank, way, static_cast<std::size_t>(source)), what, rank);
      }
    }
  }

 private:
  const std::vector<int>& targets() const { return shape_.of(me_).targets; }
  const std::vector<int>& sources() const { return shape_.of(me_).sources; }
  bool in_place() const { return shape_.slots == 0; }
  SharedWord value(int rank) const { return static_cast<SharedWord>(10 * step_ + rank); }
  SharedWord* slot(int rank, int other) const {
    const auto turn = in_place() || Access::leaves_out("the second slot") ? 0 : step_ % 2;
    return memory_ + window::slot(rank, other, static_cast<std::size_t>(turn));
  }
  /// Whence a source's cells are got: its field, or its message to me.
  SharedWord* there(int source) const { return slot(source, in_place() ? source : me_); }

  void sweep() const {  // the caller's
    if (!shape_.puts && in_place()) Access::put(slot(me_, me_), value(me_));
  }
  void look() const {  // the caller's
    if (shape_.puts && in_place())
      for (const int source : sources()) check(source, slot(me_, source));
  }
  void check(int source, SharedWord* cell) const {
    Access::expect(Access::get(cell) == value(source), "cells of another step");
  }

  void start() {
    if (shape_.puts) {
      if (in_place()) permit();
      await_permits();
      for (const int target : targets()) Access::put(slot(target, me_), value(me_));
    } else {
      if (!in_place()) await_permits();
      if (!in_place())
        for (const int target : targets()) Access::put(slot(me_, target), value(me_));
      for (std::size_t i = 0; i < targets().size(); ++i) arrivals_.signal(i);
    }
  }
  void finish() {
    if (shape_.puts) {
      for (std::size_t i = 0; i < targets().size(); ++i) {
        Access::put(slot(targets()[i], me_), value(me_));
        arrivals_.signal(i);
      }
      arrivals_.await();
      if (!in_place())
        for (const int source : sources()) check(source, slot(me_, source));
    } else {
      arrivals_.await();
      for (const int source : sources()) check(source, there(source));
      for (const int source : sources()) check(source, there(source));
    }
    if (!(shape_.puts && in_place())) permit();
    if (!shape_.puts && in_place()) await_permits();
  }
  void permit() {
    if (!shape_.permits()) return;
    for (std::size_t i = 0; i < sources().size(); ++i) permits_.signal(i);
  }
  void await_permits() {
    if (!shape_.permits()) return;
    if (unasked_ < shape_.slots)
      ++unasked_;
    else
      permits_.await();
  }

  const Passive& shape_;
  int me_;
  SharedWord* memory_;
  Notifier<Access> arrivals_, permits_;
  int step_ = 0, unasked_ = 0;
};

}  // namespace protocols
