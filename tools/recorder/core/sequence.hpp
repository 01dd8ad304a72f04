// The calls of a thread in their order, written down as loops within loops while they happen.
//
// While the calls are those that the last loop has next, a cursor walks along it and nothing is
// written. Where they are not, what the cursor passed is written out, and each further call is
// compared with what stands at the end: does it complete one more turn, or a second one? Chains of
// the places that end alike, as compressors of files have them, tell where to look.
#pragma once

#include "bounded.hpp"

namespace recorder {

// A call, or a loop over a body.
struct Step {
  std::uint32_t body = 0;   // 0: a call; else the number of the body plus 1
  std::uint32_t value = 0;  // the call, or how many turns
  bool operator==(const Step&) const = default;
};

// What loops repeat, shared by all that repeat the same.
class Bodies {
 public:
  struct Body {
    std::uint32_t first;
    std::uint32_t length;
  };
  Bodies() : steps_(1 << 18), bodies_(1 << 16), hashes_(1 << 16), index_(1 << 16) {}
  // Its number, or -1 if there is no room left.
  std::int64_t number(const Step* steps, std::uint32_t length);
  std::uint32_t size() const { return bodies_.size(); }
  const Step* steps(std::uint32_t number) const { return &steps_[bodies_[number].first]; }
  std::uint32_t length(std::uint32_t number) const { return bodies_[number].length; }

 private:
  Bounded<Step> steps_;
  Bounded<Body> bodies_;
  Bounded<std::uint64_t> hashes_;
  Index index_;
};

class Sequence {
 public:
  Sequence(Bodies& bodies, std::uint32_t most)
      : bodies_(bodies),
        steps_(most),
        chains_(most),
        own_(Exactly{kBuckets}),
        tails_(Exactly{kBuckets}) {}

  void add(std::uint32_t call) {
    if (depth_ != 0) {
      if (expected_.value == call) {
        advance();
        return;
      }
      write_out();
    }
    append({0, call});
  }

  // What has been passed only is written, too: no more calls will come.
  void end() {
    if (depth_ != 0) write_out();
  }

  const Bounded<Step>& steps() const { return steps_; }
  std::uint64_t left_out() const { return left_out_; }
  // For one who may write nothing any more: where in the last loop the cursor is.
  struct Place {
    std::uint32_t body;
    std::uint32_t at;    // the next step of it
    std::uint32_t turn;  // of the loop that this step is
  };
  std::uint32_t depth() const { return depth_; }
  const Place& place(std::uint32_t level) const { return places_[level]; }

 private:
  static constexpr std::uint32_t kDeepest = 24;
  static constexpr std::uint32_t kLongest = 4096;  // a body
  static constexpr std::uint32_t kBuckets = 4096;
  static constexpr int kLooks = 8;
  // Where a step like this one, or a loop whose body ends like this one's, stands before it: a
  // place plus 1. And in which chains it is.
  struct Chain {
    std::uint32_t own_bucket, own;
    std::uint32_t tail_bucket, tail;
  };

  void advance();
  void descend();
  void write_out();
  void append(Step step);
  bool fold();
  bool one_more_turn();
  bool second_turn();
  void follow();
  bool push(Step step);
  void pop(std::uint32_t count);
  static std::uint32_t bucket(Step step) {
    return mixed(static_cast<std::uint64_t>(step.body) << 32 | step.value) % kBuckets;
  }

  Bodies& bodies_;
  Bounded<Step> steps_;
  Bounded<Chain> chains_;
  Bounded<std::uint32_t> own_;
  Bounded<std::uint32_t> tails_;
  Place places_[kDeepest];
  std::uint32_t depth_ = 0;  // 0: the cursor walks nowhere
  Step expected_;
  std::uint64_t left_out_ = 0;
};

}  // namespace recorder
