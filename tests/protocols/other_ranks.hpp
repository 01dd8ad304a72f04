#pragma once
// Ranks of the other protocols in shared memory: messages that are overwritten whenever their
// sender likes, and one copy of an array for an island. Both are the library's own code.

#include "async/shared_message.hpp"
#include "replicated/turns.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace protocols {

using halocline::detail::SharedWord;
using halocline::detail::VersionTurns;

// ---- asynchronous messages: rank 0 writes, the others read ----

struct Overwritten {
  std::size_t words, slots;
  int messages, reads;
};

inline SharedWord word_of(SharedWord number, std::size_t i) {
  return number << 8 | i;
}

template <class Words>
void name_message(Words& words, const Overwritten& is, bool lock) {
  const std::size_t head = lock ? 2 : 1;
  const char* const names[] = {"begun", "ended"};
  for (std::size_t i = 0; i < head; ++i) words.name(i, names[lock ? i : 1], 0);
  for (std::size_t slot = 0; slot < is.slots; ++slot)
    for (std::size_t i = 0; i < is.words; ++i)
      words.name(8 * (1 + slot) + i, i == 0 ? "first word" : "word", 0);
}

template <class Message>
void write_all(const Overwritten& is, const Message& message) {
  std::vector<SharedWord> words(is.words);
  for (int number = 1; number <= is.messages; ++number) {
    for (std::size_t i = 0; i < is.words; ++i)
      words[i] = word_of(static_cast<SharedWord>(number), i);
    message.write(words);
  }
}

/// `check(words, number, number before)` of each message that is new.
template <class Message, class Check>
void read_all(const Overwritten& is, const Message& message, const Check& check) {
  std::vector<SharedWord> words(is.words);
  SharedWord seen = 0;
  for (int read = 0; read < is.reads; ++read) {
    const SharedWord newest = message.read(words, seen);
    if (newest == seen) continue;
    check(words, newest, seen);
    seen = newest;
  }
}

template <class Access>
void sequence_lock(const Overwritten& is, int me, SharedWord* memory) {
  const halocline::detail::SequenceLockBy<Access> message(memory, is.words, is.slots);
  if (me == 0) return write_all(is, message);
  read_all(is, message, [](const auto& words, SharedWord newest, SharedWord seen) {
    Access::expect(newest > seen, "an older message");
    for (std::size_t i = 0; i < words.size(); ++i)
      Access::expect(words[i] == word_of(newest, i), "a word of another message");
  });
}

template <class Access>
void racy_message(const Overwritten& is, int me, SharedWord* memory) {
  const halocline::detail::RacyMessageBy<Access> message(memory, is.words, 1);
  if (me == 0) return write_all(is, message);
  read_all(is, message, [](const auto& words, SharedWord newest, SharedWord) {
    Access::expect(words[0] >> 8 >= newest, "the first word older than the message");
    for (std::size_t i = 0; i < words.size(); ++i) {
      Access::expect((words[i] & 0xff) == i, "no whole word");
      Access::expect(words[i] >> 8 >= words[0] >> 8, "a word older than the first");
    }
  });
}

// ---- one copy an island ----

struct Island {
  int ranks;
  bool alone;
  int versions;
  /// Who writes version v; -1: everybody a part.
  int writer(int version) const { return version % (ranks + 2) - 2 < 0 ? -1 : version % ranks; }
};

namespace copy {
constexpr std::size_t line(int rank) {
  return static_cast<std::size_t>(rank) * 8;
}
constexpr std::size_t part(int rank) {
  return 32 + static_cast<std::size_t>(rank) * 8;
}
constexpr std::size_t from_others = 64, all = 72;
}  // namespace copy

template <class Words>
void name_copy(Words& words, const Island& island) {
  for (int rank = 0; rank < island.ranks; ++rank) {
    words.name(copy::line(rank), "done", rank);
    words.name(copy::line(rank) + 1, "written", rank);
    if (!island.alone && rank == 0) words.name(copy::line(rank) + 2, "complete", rank);
    words.name(copy::part(rank), "part", rank);
  }
  if (!island.alone) words.name(copy::from_others, "part of another island", 0);
}

/// What a rank does at its turns: in a unified memory MPI_Win_sync does nothing.
template <class Access>
struct IslandSide {
  template <class Reached>
  void wait(const char* what, const Reached& reached) const {
    Access::wait(what, reached);
  }
  void sync_release() const {}
  void sync_acquire() const {}
};

/// Writes its part of each version, and reads all of it.
template <class Access>
void replicated(const Island& island, int me, SharedWord* memory) {
  using Turns = VersionTurns<Access>;
  using Line = typename Turns::Line;
  std::vector<Line*> lines;
  for (int rank = 0; rank < island.ranks; ++rank)
    lines.push_back(reinterpret_cast<Line*>(memory + copy::line(rank)));
  Turns turns(lines, static_cast<std::size_t>(me));

  const IslandSide<Access> side;
  std::array<SharedWord, 4> newest{};  // of each rank's part, and of another island's
  for (int version = 1; version <= island.versions; ++version) {
    const int writer = island.writer(version);
    const bool head = me == 0 && !island.alone;
    typename Turns::Role role{
        .writes = writer < 0 || writer == me, .passes_on = head, .alone = island.alone};
    for (int rank = 0; rank < island.ranks; ++rank)
      if (writer < 0 || writer == rank) {
        role.awaited.push_back(lines[static_cast<std::size_t>(rank)]);
        newest[static_cast<std::size_t>(rank)] = static_cast<SharedWord>(version);
      }
    if (!island.alone) newest[3] = static_cast<SharedWord>(version);

    turns.begin(role, side);
    if (role.writes) Access::put(memory + copy::part(me), static_cast<SharedWord>(version));
    turns.end(role, side, [&] {  // sends all parts, and receives another island's
      for (int rank = 0; rank < island.ranks; ++rank)
        Access::expect(
            Access::get(memory + copy::part(rank)) == newest[static_cast<std::size_t>(rank)],
            "the head sends another version");
      Access::put(memory + copy::from_others, static_cast<SharedWord>(version));
    });
    for (int rank = 0; rank < island.ranks; ++rank)
      Access::expect(
          Access::get(memory + copy::part(rank)) == newest[static_cast<std::size_t>(rank)],
          "a part of another version");
    if (!island.alone)
      Access::expect(Access::get(memory + copy::from_others) == newest[3],
                     "another island's part of another version");
    Access::settle(static_cast<SharedWord>(version));
  }
}

}  // namespace protocols
