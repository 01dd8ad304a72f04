// Messages in shared memory, driven by threads, so that ThreadSanitizer sees both sides.

#include "async/shared_message.hpp"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace halocline::detail;

namespace {

constexpr std::size_t length = 40;
constexpr std::uint64_t messages = 20'000;

/// Word i of message n.
std::uint64_t word(std::uint64_t number, std::size_t i) {
  return number << 8 | i;
}

/// Writes all messages in one thread while this one reads; `check` sees what was read.
template <class Message, class Check>
void write_and_read(std::size_t slots, Check&& check) {
  std::vector<std::uint64_t> memory(Message::words(length, slots), 0);
  const Message message(memory.data(), length, slots);
  std::thread writer([&] {
    std::vector<std::uint64_t> words(length);
    for (std::uint64_t number = 1; number <= messages; ++number) {
      for (std::size_t i = 0; i < length; ++i) words[i] = word(number, i);
      message.write(words);
      if (number % 64 == 0) std::this_thread::yield();
    }
  });
  std::vector<std::uint64_t> words(length);
  for (std::uint64_t seen = 0; seen < messages;) {
    const std::uint64_t number = message.read(words, seen);
    if (number == seen) {
      std::this_thread::yield();
      continue;
    }
    EXPECT_GT(number, seen);
    check(number, words);
    seen = number;
  }
  writer.join();
}

}  // namespace

TEST(SequenceLock, GivesWholeMessagesInOrder) {
  for (const std::size_t slots : {1, 2, 5})
    write_and_read<SequenceLock>(
        slots, [&](std::uint64_t number, const std::vector<std::uint64_t>& words) {
          for (std::size_t i = 0; i < length; ++i) ASSERT_EQ(words[i], word(number, i));
        });
}

TEST(SequenceLock, DoesNotGiveWhatIsBeingOverwritten) {
  std::vector<std::uint64_t> memory(SequenceLock::words(length, 1), 0), words(length);
  const SequenceLock lock(memory.data(), length, 1);
  EXPECT_EQ(lock.read(words, 0), 0U);  // nothing yet
  lock.write(std::vector<std::uint64_t>(length, 7));
  memory[0] = 2;  // the next one has begun
  EXPECT_EQ(lock.read(words, 0), 0U);
  memory[0] = 1;
  EXPECT_EQ(lock.read(words, 0), 1U);
  EXPECT_EQ(words, std::vector<std::uint64_t>(length, 7));
  EXPECT_EQ(lock.read(words, 1), 1U);  // no news
}

TEST(RacyMessage, GivesWholeWordsNoOlderThanTheFirst) {
  std::vector<std::uint64_t> before(length, 0);
  write_and_read<RacyMessage>(1, [&](std::uint64_t, const std::vector<std::uint64_t>& words) {
    for (std::size_t i = 0; i < length; ++i) {
      ASSERT_EQ(words[i] & 0xff, i);
      ASSERT_LE(words[i] >> 8, messages);
      ASSERT_GE(words[i] >> 8, words[0] >> 8);
      ASSERT_GE(words[i], before[i]);
    }
    before = words;
  });
}
