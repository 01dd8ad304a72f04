// The calls of the program: those alike in function, place and arguments are one line with sums.
#pragma once

#include "bounded.hpp"
#include "clock.hpp"
#include "functions.hpp"

namespace recorder {

// Arguments that are not a number, beside kAbsent for what a function does not have.
inline constexpr std::int32_t kAbsent = INT32_MIN;
inline constexpr std::int32_t kAny = INT32_MIN + 1;
inline constexpr std::int32_t kNull = INT32_MIN + 2;
inline constexpr std::int32_t kVaried = INT32_MIN + 3;
inline constexpr std::int64_t kNoCount = INT64_MIN;

struct Signature {
  std::uint16_t function = 0;
  std::uint16_t varied = 0;  // it stands for calls with other arguments, too
  std::int32_t site = kAbsent;
  std::int32_t comm = kAbsent;
  std::int32_t peer = kAbsent;  // less the own rank
  std::int32_t tag = kAbsent;
  std::int32_t layout = kAbsent;
  std::int32_t other_peer = kAbsent;
  std::int32_t other_tag = kAbsent;
  std::int32_t other_layout = kAbsent;
  std::int32_t window = kAbsent;
  std::int32_t requests = kAbsent;
  std::int32_t operation = kAbsent;
  std::int32_t root = kAbsent;
  std::int32_t found_peer = kAbsent;
  std::int32_t found_tag = kAbsent;
  std::int32_t partitions = kAbsent;
  std::int64_t count = kNoCount;
  std::int64_t other_count = kNoCount;

  // There are no gaps between the members.
  bool same(const Signature& other) const {
    std::uint64_t differ = 0;
    for (std::size_t at = 0; at < sizeof(Signature); at += 8) {
      std::uint64_t one, two;
      __builtin_memcpy(&one, reinterpret_cast<const char*>(this) + at, 8);
      __builtin_memcpy(&two, reinterpret_cast<const char*>(&other) + at, 8);
      differ |= one ^ two;
    }
    return differ == 0;
  }
};
static_assert(sizeof(Signature) == 80);

struct CallLine {
  Signature signature;
  std::uint64_t hash = 0;
  std::uint64_t times = 0;
  Ticks inside = 0;
  Ticks least = 0;
  Ticks most = 0;
  Ticks outside = 0;
  // What the recorder takes for itself: the mean, and what that is of.
  Ticks own = 0;
  Ticks own_sum = 0;
  std::int64_t looks = 0;
  // The exchange in which a message that this call starts was last complete.
  std::uint32_t completed_in = 0;
  // What followed it last outside of MPI took long: so may what follows it now.
  std::uint32_t long_after = 0;
};

class Calls {
 public:
  Calls()
      : most_(in_room(kMost)),
        lines_(Exactly{most_ + kFunctions}),
        index_(Exactly{most_ + kFunctions}) {}

  // Its number, whether it is new or not.
  std::uint32_t number(const Signature& signature) {
    // Most calls are like the last one from their place with their peer.
    std::uint32_t& recent = recent_[(static_cast<std::uint32_t>(signature.site) * 16 ^
                                     static_cast<std::uint32_t>(signature.peer) ^
                                     static_cast<std::uint32_t>(signature.tag) * 4) %
                                    kRecent];
    if (recent < lines_.size() && lines_[recent].signature.same(signature)) return recent;
    return recent = look_up(signature);
  }

  CallLine& operator[](std::uint32_t number) { return lines_[number]; }
  std::uint32_t size() const { return lines_.size(); }
  std::uint64_t left_out() const { return left_out_; }

 private:
  static constexpr std::uint32_t kMost = 16384;
  // From here on tags and counts are not told apart.
  std::uint32_t exact() const { return most_ / 4 * 3; }

  static constexpr std::uint32_t kRecent = 512;

  std::uint32_t look_up(const Signature& signature) {
    std::uint64_t hash = hash_of(&signature, sizeof(signature));
    std::int64_t found = find(signature, hash);
    return found >= 0 ? static_cast<std::uint32_t>(found) : add(signature, hash);
  }
  std::int64_t find(const Signature& signature, std::uint64_t hash) {
    return index_.find(hash, [&](std::uint32_t at) {
      return lines_[at].hash == hash && lines_[at].signature.same(signature);
    });
  }
  std::uint32_t add(const Signature& signature, std::uint64_t hash);

  std::uint32_t most_;
  Bounded<CallLine> lines_;
  Index index_;
  std::uint32_t recent_[kRecent] = {};
  std::uint64_t left_out_ = 0;
};

}  // namespace recorder
