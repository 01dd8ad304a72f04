#pragma once
// Every order in which the ranks of a protocol can act in shared memory, one after the other.
//
// A rank is the protocol's own code, which loads and stores through Searched. The search runs it
// again and again, each time with other results of its loads, and so finds out what it does next.
// The memory is C++'s: a load may see any store that the rank does not know to be overwritten, and
// what a rank has stored before is seen only where release and acquire, or fences, say so. Plain
// cells are those of messages: two accesses of one, one of them a write, without an order between
// them are a race, which is as good as a wrong value.
//
// Where the operational rules come from: J. Kang et al., A promising semantics for relaxed-memory
// concurrency (POPL 2017), without promises: no store is seen before it is made.

#include "memory/shared_words.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace protocols {

using halocline::detail::SharedWord;

constexpr int most_ranks = 3;
constexpr std::size_t most_words = 24;

/// Memory of all ranks, and what its words are for. Words that have no name are not touched.
class Words {
 public:
  explicit Words(std::size_t size) : memory_(size, 0) {}
  Words(Words&&) = default;  // they stay where they are
  /// `what` without the rank: orderings are taken away from all words of a kind at once.
  SharedWord* name(std::size_t word, const std::string& what, int rank);
  SharedWord* at(std::size_t word) { return memory_.data() + word; }

  struct Named {
    std::string kind, text;
  };
  const std::vector<Named>& named() const { return named_; }
  std::size_t number_of(const SharedWord* word) const { return numbers_.at(word); }

 private:
  std::vector<SharedWord> memory_;
  std::map<const SharedWord*, std::size_t> numbers_;
  std::vector<Named> named_;
};

/// What a protocol is: so many ranks that all run `rank`.
struct Protocol {
  std::string name;
  int ranks;
  std::string steps;  ///< how many of what, for the table
  Words words;
  bool fences;  ///< it has some
  std::function<void(int rank)> rank;
};

/// What was found.
struct Found {
  std::size_t states = 0;
  std::string wrong;             ///< empty: nothing
  std::vector<std::string> how;  ///< what led there, act by act
  /// What can be taken away from the protocol: see `search`.
  std::set<std::string> faults;
};

/// Searches all states; ends at the first wrong one. A fault is one of
///   relaxed WHAT       an ordering of a load, store or fence is taken away
///   no wait WHAT       a wait ends at once
///   early WHAT         a counter is taken for one step further than it is
///   without WHAT       what the protocol itself asks for by Searched::leaves_out
///
/// Some orders make no difference, and only one of them is searched unless `all_orders` is true:
/// when a store is made, for a load that comes after it may still see what was there before; and
/// which of the stores that end a wait is seen, for a later one orders no less.
Found search(const Protocol& protocol, const std::string& fault = {}, bool all_orders = false);

/// How the ranks get at memory while they are searched.
struct Searched {
  static SharedWord load(SharedWord* word, std::memory_order order);
  static void store(SharedWord* word, SharedWord value, std::memory_order order);
  static void fence(std::memory_order order);

  // ---- what a harness needs besides ----

  /// Adds to a word at once; what it orders is released and acquired.
  static void add(SharedWord* word, SharedWord more);
  /// A plain cell of a message or field.
  static void put(SharedWord* cell, SharedWord value);
  static SharedWord get(SharedWord* cell);

  /// Until `reached()`, which loads, and at most fences.
  template <class Reached>
  static void wait(const char* what, const Reached& reached) {
    if (no_wait(what)) return;
    bool over = false;
    {
      const Waits waits(what);
      over = reached();
    }
    if (!over) blocked();
  }
  /// Calls arrived(i) of each of 0..number-1 in any order, and then(i) once it is true.
  template <class Arrived, class Then>
  static void take_all(std::size_t number, const char* what, const Arrived& arrived,
                       const Then& then) {
    std::vector<std::size_t> pending(number);
    for (std::size_t i = 0; i < number; ++i) pending[i] = i;
    while (!pending.empty()) {
      const auto next = pending.begin() + static_cast<std::ptrdiff_t>(choose(pending.size()));
      const std::size_t source = *next;
      pending.erase(next);
      wait(what, [&] { return arrived(source); });
      then(source);
    }
  }
  enum class Meeting {
    ordering,  ///< what one rank did before is seen by all after it
    bare       ///< only with fences around it
  };
  /// All ranks come here before any goes on.
  static void meet(const char* what, Meeting kind);
  /// All that the rank still knows follows from this number, whatever happened before.
  static void settle(SharedWord state);
  static void expect(bool right, const char* what);
  /// A name for what follows, by which its fences are told apart.
  static void at(const char* part);
  /// Whether this part of the protocol is left out.
  static bool leaves_out(const char* what);

 private:
  class Waits {
   public:
    explicit Waits(const char* what);
    ~Waits();
  };
  static std::size_t choose(std::size_t number);
  static bool no_wait(const char* what);
  [[noreturn]] static void blocked();
};

}  // namespace protocols
