#pragma once
// Messages in shared memory that one side overwrites and the other reads, whenever they like:
// complete (SequenceLock) or not (RacyMessage).

#include "memory/cache_line.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace halocline::detail {

/// A word shared by processes. Everything that both sides touch is one.
using SharedWord = std::atomic_ref<std::uint64_t>;
static_assert(SharedWord::is_always_lock_free, "words are shared by processes");

constexpr std::size_t words_of_line = cache_line / sizeof(std::uint64_t);

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
class SequenceLock {
 public:
  /// Words of memory, zero at first, on a cache line of their own.
  static std::size_t words(std::size_t message, std::size_t slots) {
    return words_of_line + slots * lines_of_words(message);
  }
  SequenceLock(std::uint64_t* memory, std::size_t message, std::size_t slots)
      : begun_(memory),
        ended_(memory + 1),
        slots_(memory + words_of_line),
        apart_(lines_of_words(message)),
        count_(slots) {}

  /// The next message. For one writer.
  void write(std::span<const std::uint64_t> message) const {
    const std::uint64_t number = SharedWord(*ended_).load(std::memory_order_relaxed) + 1;
    SharedWord(*begun_).store(number, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    std::uint64_t* slot = slot_of(number);
    for (std::size_t i = 0; i < message.size(); ++i)
      SharedWord(slot[i]).store(message[i], std::memory_order_relaxed);
    SharedWord(*ended_).store(number, std::memory_order_release);
  }

  /// The newest message if it is newer than number `seen`, and its number; else, or if the writer
  /// was faster, `seen`, and `message` holds nothing of use.
  std::uint64_t read(std::span<std::uint64_t> message, std::uint64_t seen) const {
    constexpr int attempts = 3;
    for (int attempt = 0; attempt < attempts; ++attempt) {
      const std::uint64_t number = SharedWord(*ended_).load(std::memory_order_acquire);
      if (number == seen) return seen;
      std::uint64_t* slot = slot_of(number);
      for (std::size_t i = 0; i < message.size(); ++i)
        message[i] = SharedWord(slot[i]).load(std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_acquire);
      if (SharedWord(*begun_).load(std::memory_order_relaxed) < number + count_) return number;
    }
    return seen;
  }

 private:
  std::uint64_t* slot_of(std::uint64_t number) const { return slots_ + number % count_ * apart_; }

  std::uint64_t *begun_, *ended_, *slots_;
  std::size_t apart_, count_;
};

/// The same without the lock: words of several messages side by side, each of them whole.
///
/// Word 0 is stored last and loaded first, with release and acquire: no other word is of an older
/// message than word 0 is.
class RacyMessage {
 public:
  static std::size_t words(std::size_t message, std::size_t /*slots*/) {
    return words_of_line + lines_of_words(message);
  }
  RacyMessage(std::uint64_t* memory, std::size_t /*message*/, std::size_t /*slots*/)
      : ended_(memory), words_(memory + words_of_line) {}

  void write(std::span<const std::uint64_t> message) const {
    for (std::size_t i = 1; i < message.size(); ++i)
      SharedWord(words_[i]).store(message[i], std::memory_order_relaxed);
    SharedWord(words_[0]).store(message[0], std::memory_order_release);
    const std::uint64_t number = SharedWord(*ended_).load(std::memory_order_relaxed) + 1;
    SharedWord(*ended_).store(number, std::memory_order_release);
  }

  std::uint64_t read(std::span<std::uint64_t> message, std::uint64_t seen) const {
    const std::uint64_t number = SharedWord(*ended_).load(std::memory_order_acquire);
    if (number == seen) return seen;
    message[0] = SharedWord(words_[0]).load(std::memory_order_acquire);
    for (std::size_t i = 1; i < message.size(); ++i)
      message[i] = SharedWord(words_[i]).load(std::memory_order_relaxed);
    return number;
  }

 private:
  std::uint64_t *ended_, *words_;
};

}  // namespace halocline::detail
