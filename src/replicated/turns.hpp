#pragma once
// One copy an island: who waits for whom.
//
// Every rank has a line of shared memory with two numbers of versions: `done`, up to which it no
// longer reads old ones, and `written`, up to which it has written its own. A writer waits until
// all ranks of its island are done; the head, if there are other islands, until those that write in
// its island have written and, because it receives, until all are done; then the heads pass the
// version on, and the head says in `complete` that it is there.

#include "memory/shared_words.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace halocline::detail {

/// One rank's side. `Side` is what it does at each turn:
///   wait(what, reached)          until `reached()`
///   sync_release(), sync_acquire()   before others may see what I did, and after I have waited
template <class Access>
class VersionTurns {
 public:
  struct Line {
    SharedWord done, written, complete;
  };

  VersionTurns() = default;
  /// The lines of the island's ranks; the head's is the first.
  VersionTurns(std::vector<Line*> lines, std::size_t mine)
      : lines_(std::move(lines)), mine_(mine) {}
  const std::vector<Line*>& lines() const noexcept { return lines_; }

  /// What this rank is in a version.
  struct Role {
    bool writes;
    bool passes_on;                ///< sends it to other islands, and receives from them
    bool alone;                    ///< there are no other islands
    std::vector<Line*> awaited{};  ///< of those that write in this island
  };

  template <class Side>
  void begin(const Role& role, const Side& side) {
    ++version_;
    side.sync_release();
    counter(lines_[mine_]->done).set(version_);
    if (!role.writes && !role.passes_on) return;
    for (Line* line : lines_)
      wait(side, "replicated array: readers of the version before", line->done);
    side.sync_acquire();
  }

  /// `pass_on` is the heads' exchange.
  template <class Side, class PassOn>
  void end(const Role& role, const Side& side, const PassOn& pass_on) const {
    if (role.writes) {
      side.sync_release();
      counter(lines_[mine_]->written).set(version_);
    }
    if (role.alone || role.passes_on)
      for (Line* line : role.awaited)
        wait(side, "replicated array: who writes the new version", line->written);
    if (!role.alone) {
      SharedWord& complete = lines_.front()->complete;
      if (role.passes_on) {
        side.sync_acquire();
        pass_on();
        side.sync_release();
        counter(complete).set(version_);
      } else {
        wait(side, "replicated array: the new version from other islands", complete);
      }
    }
    side.sync_acquire();
  }

 private:
  static StepCounter<Access> counter(SharedWord& word) { return StepCounter<Access>(&word); }
  /// Until it is this version.
  template <class Side>
  void wait(const Side& side, const char* what, SharedWord& number) const {
    side.wait(what, [&] { return counter(number).reached(version_); });
  }

  std::vector<Line*> lines_;
  std::size_t mine_ = 0;
  std::uint64_t version_ = 0;
};

}  // namespace halocline::detail
