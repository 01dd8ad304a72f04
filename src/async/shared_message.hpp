#pragma once
// Messages in shared memory that one side overwrites and the other reads, whenever they like:
// complete (SequenceLock) or not (RacyMessage).

#include "memory/cache_line.hpp"
#include "memory/shared_words.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace halocline::detail {

// Everything that both sides touch is a SharedWord.
constexpr std::size_t words_of_line = cache_line / sizeof(SharedWord);

constexpr std::size_t lines_of_words(std::size_t words) {
  return round_up(words, words_of_line);
}

/// A sequence lock with slots in turn: complete messages, and a writer that never waits.
///
/// The writer begins message n, stores its words in slot n mod R, and ends it. A reader loads the
/// slot of the newest message that has ended; what it loaded is that message unless message n+R has
/// begun. There is no data race: words are relaxed atomics, ordered by fences, as in Boehm, Can
/// seqlocks get along with programming language memory models? (MSPC 2012), figure 6 and its
/// writer: if a load sees a word of message n+R, the reader's fence comes after the writer's, and
/// it sees that n+R has begun.
template <class Access>
class SequenceLockBy {
 public:
  /// Words of memory, zero at first, on a cache line of their own.
  static std::size_t words(std::size_t message, std::size_t slots) {
    return words_of_line + slots * lines_of_words(message);
  }
  SequenceLockBy(SharedWord* memory, std::size_t message, std::size_t slots)
      : begun_(memory),
        ended_(memory + 1),
        slots_(memory + words_of_line),
        apart_(lines_of_words(message)),
        count_(slots) {}

  /// The next message. For one writer.
  void write(std::span<const std::uint64_t> message) const {
    const std::uint64_t number = Access::load(ended_, std::memory_order_relaxed) + 1;
    Access::store(begun_, number, std::memory_order_relaxed);
    Access::fence(std::memory_order_release);
    SharedWord* slot = slot_of(number);
    for (std::size_t i = 0; i < message.size(); ++i)
      Access::store(slot + i, message[i], std::memory_order_relaxed);
    Access::store(ended_, number, std::memory_order_release);
  }

  /// The newest message if it is newer than number `seen`, and its number; else, or if the writer
  /// was faster, `seen`, and `message` holds nothing of use.
  std::uint64_t read(std::span<std::uint64_t> message, std::uint64_t seen) const {
    constexpr int attempts = 3;
    for (int attempt = 0; attempt < attempts; ++attempt) {
      const std::uint64_t number = Access::load(ended_, std::memory_order_acquire);
      if (number == seen) return seen;
      SharedWord* slot = slot_of(number);
      for (std::size_t i = 0; i < message.size(); ++i)
        message[i] = Access::load(slot + i, std::memory_order_relaxed);
      Access::fence(std::memory_order_acquire);
      if (Access::load(begun_, std::memory_order_relaxed) < number + count_) return number;
    }
    return seen;
  }

 private:
  SharedWord* slot_of(std::uint64_t number) const { return slots_ + number % count_ * apart_; }

  SharedWord *begun_, *ended_, *slots_;
  std::size_t apart_, count_;
};

/// The same without the lock: words of several messages side by side, each of them whole.
///
/// Word 0 is stored last and loaded first, with release and acquire: no other word is of an older
/// message than word 0 is.
template <class Access>
class RacyMessageBy {
 public:
  static std::size_t words(std::size_t message, std::size_t /*slots*/) {
    return words_of_line + lines_of_words(message);
  }
  RacyMessageBy(SharedWord* memory, std::size_t /*message*/, std::size_t /*slots*/)
      : ended_(memory), words_(memory + words_of_line) {}

  void write(std::span<const std::uint64_t> message) const {
    for (std::size_t i = 1; i < message.size(); ++i)
      Access::store(words_ + i, message[i], std::memory_order_relaxed);
    Access::store(words_, message[0], std::memory_order_release);
    const std::uint64_t number = Access::load(ended_, std::memory_order_relaxed) + 1;
    Access::store(ended_, number, std::memory_order_release);
  }

  std::uint64_t read(std::span<std::uint64_t> message, std::uint64_t seen) const {
    const std::uint64_t number = Access::load(ended_, std::memory_order_acquire);
    if (number == seen) return seen;
    message[0] = Access::load(words_, std::memory_order_acquire);
    for (std::size_t i = 1; i < message.size(); ++i)
      message[i] = Access::load(words_ + i, std::memory_order_relaxed);
    return number;
  }

 private:
  SharedWord *ended_, *words_;
};

using SequenceLock = SequenceLockBy<Processor>;
using RacyMessage = RacyMessageBy<Processor>;

}  // namespace halocline::detail
