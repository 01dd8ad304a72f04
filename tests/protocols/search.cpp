#include "search.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <unordered_set>

namespace protocols {

SharedWord* Words::name(std::size_t word, const std::string& what, int rank) {
  if (named_.size() == most_words) throw std::length_error("a protocol of too many words");
  numbers_[at(word)] = named_.size();
  named_.push_back({what, what + " of rank " + std::to_string(rank)});
  return at(word);
}

namespace {

// ---- what a rank does next, given the results of all that it did before ----

struct Act {
  enum Kind { load, store, add, fence, put, get, choose, meet, settle, done, blocked, wrong };
  Kind kind = done;
  std::size_t word = 0;
  SharedWord value = 0;  // stored; of how many is chosen; settled
  std::memory_order order = std::memory_order_relaxed;
  bool waits = false, early = false;
  Searched::Meeting meeting{};
  std::string text{};
};

/// Thrown where the known results end.
struct Next {
  Act act;
};

/// A rank that runs until its known results are used up.
struct Run {
  const Protocol& protocol;
  const std::string& fault;
  std::set<std::string>& faults;
  const std::vector<SharedWord>& results;
  std::size_t used = 0;
  const char* part = "";
  const char* waits_for = nullptr;

  /// The result if it is known.
  SharedWord act(const Act& act) {
    if (used < results.size()) return results[used++];
    throw Next{act};
  }
  bool has(const std::string& one) {
    faults.insert(one);
    return one == fault;
  }
};
thread_local Run* running = nullptr;

const std::string& kind_of(std::size_t word) {
  return running->protocol.words.named()[word].kind;
}

/// The order that is left of it.
std::memory_order left_of(std::memory_order order, const std::string& what) {
  if (order == std::memory_order_relaxed) return order;
  return running->has("relaxed " + what) ? std::memory_order_relaxed : order;
}

}  // namespace

SharedWord Searched::load(SharedWord* at, std::memory_order order) {
  if (running->used < running->results.size()) return running->results[running->used++];
  Act act{.kind = Act::load, .word = running->protocol.words.number_of(at)};
  const std::string& kind = kind_of(act.word);
  act.order = left_of(order, "load of " + kind);
  act.waits = running->waits_for != nullptr;
  if (act.waits) {
    running->has(std::string("no wait ") + running->waits_for);
    act.early = running->has("early " + kind);
  }
  return running->act(act);
}
void Searched::store(SharedWord* at, SharedWord value, std::memory_order order) {
  if (running->used < running->results.size()) return static_cast<void>(running->used++);
  Act act{.kind = Act::store, .word = running->protocol.words.number_of(at), .value = value};
  act.order = left_of(order, "store of " + kind_of(act.word));
  running->act(act);
}
void Searched::add(SharedWord* at, SharedWord more) {
  if (running->used < running->results.size()) return static_cast<void>(running->used++);
  Act act{.kind = Act::add, .word = running->protocol.words.number_of(at), .value = more};
  act.order = left_of(std::memory_order_acq_rel, "adding to " + kind_of(act.word));
  running->act(act);
}
void Searched::fence(std::memory_order order) {
  if (running->used < running->results.size()) return static_cast<void>(running->used++);
  const char* const name = order == std::memory_order_acquire   ? "acquire fence"
                           : order == std::memory_order_release ? "release fence"
                                                                : "fence";
  const std::string where = *running->part ? std::string(" in ") + running->part : "";
  running->act({.kind = Act::fence, .order = left_of(order, name + where)});
}
void Searched::put(SharedWord* cell, SharedWord value) {
  running->act({.kind = Act::put, .word = running->protocol.words.number_of(cell), .value = value});
}
SharedWord Searched::get(SharedWord* cell) {
  return running->act({.kind = Act::get, .word = running->protocol.words.number_of(cell)});
}
void Searched::meet(const char* what, Meeting kind) {
  if (running->has(std::string("no wait ") + what)) return;
  running->act({.kind = Act::meet, .meeting = kind, .text = what});
}
void Searched::settle(SharedWord state) {
  running->act({.kind = Act::settle, .value = state});
}
void Searched::expect(bool right, const char* what) {
  if (!right) throw Next{{.kind = Act::wrong, .text = what}};
}
void Searched::at(const char* part) {
  running->part = part;
}
bool Searched::leaves_out(const char* what) {
  return running->has(std::string("without ") + what);
}
Searched::Waits::Waits(const char* what) {
  running->waits_for = what;
}
Searched::Waits::~Waits() {
  running->waits_for = nullptr;
}
std::size_t Searched::choose(std::size_t number) {
  if (number == 1) return 0;
  return running->act({.kind = Act::choose, .value = number});
}
bool Searched::no_wait(const char* what) {
  return running->fault == std::string("no wait ") + what;
}
void Searched::blocked() {
  throw Next{{.kind = Act::blocked}};
}

namespace {

/// All that one rank can come to: places in its code, each reached from another by a result.
class Behaviour {
 public:
  Behaviour(const Protocol& protocol, int rank, const std::string& fault,
            std::set<std::string>& faults)
      : protocol_(protocol), rank_(rank), fault_(fault), faults_(faults) {
    add(0, 0);
  }

  const Act& next(std::uint32_t place) {
    Place& one = places_[place];
    if (!one.known) {
      one.act = run(results_to(place));
      places_[place].known = true;
    }
    return places_[place].act;
  }
  std::uint32_t after(std::uint32_t place, SharedWord result) {
    const Act& act = next(place);
    if (act.kind == Act::settle) {  // one place, however it was come to
      const auto [found, is_new] = settled_.try_emplace(act.value, 0);
      if (is_new) found->second = add(place, result);
      return found->second;
    }
    const bool waits = act.waits;
    const auto [found, is_new] = after_.try_emplace({place, result}, 0);
    if (!is_new) return found->second;
    std::uint32_t after = add(place, result);
    // Whatever ends a wait, what follows is the same.
    if (waits && next(after).kind != Act::blocked)
      after = waited_.try_emplace(place, after).first->second;
    return after_[{place, result}] = after;
  }

 private:
  struct Place {
    std::uint32_t before;
    SharedWord result;
    bool known = false;
    Act act{};
  };
  std::uint32_t add(std::uint32_t before, SharedWord result) {
    places_.push_back({before, result});
    return static_cast<std::uint32_t>(places_.size() - 1);
  }
  std::vector<SharedWord> results_to(std::uint32_t place) const {
    std::vector<SharedWord> results;
    for (; place != 0; place = places_[place].before) results.push_back(places_[place].result);
    std::reverse(results.begin(), results.end());
    return results;
  }
  Act run(const std::vector<SharedWord>& results) {
    Run one{protocol_, fault_, faults_, results};
    running = &one;
    Act act;
    try {
      protocol_.rank(rank_);
    } catch (const Next& next) {
      act = next.act;
    }
    running = nullptr;
    return act;
  }

  const Protocol& protocol_;
  int rank_;
  const std::string& fault_;
  std::set<std::string>& faults_;
  std::vector<Place> places_;
  std::map<std::pair<std::uint32_t, SharedWord>, std::uint32_t> after_;
  std::map<SharedWord, std::uint32_t> settled_;
  std::map<std::uint32_t, std::uint32_t> waited_;
};

// ---- memory ----

using Count = std::uint8_t;

/// How much of what all ranks did a rank, or who sees a store, knows: accesses of cells by each
/// rank, and stores to each word.
struct View {
  std::array<Count, most_ranks> accesses{};
  std::array<Count, most_words> stores{};

  void join(const View& other) {
    for (std::size_t i = 0; i < accesses.size(); ++i)
      accesses[i] = std::max(accesses[i], other.accesses[i]);
    for (std::size_t i = 0; i < stores.size(); ++i)
      stores[i] = std::max(stores[i], other.stores[i]);
  }
};

/// A rank: where it is in its code, what it knows, what it will know after an acquire fence, and
/// what it knew at its last release fence.
struct RankState {
  std::uint32_t place = 0;
  View now, acquired, released;

  void fence(std::memory_order order) {
    if (order == std::memory_order_relaxed) return;
    if (order != std::memory_order_release) now = acquired;
    if (order != std::memory_order_acquire) released = now;
  }
};

struct Store {
  SharedWord value = 0;
  View view{};
};

/// A word: its stores that some rank may still see, the first of which is number `first`. A cell:
/// its last accesses by each rank.
struct Word {
  Count first = 0;
  std::vector<Store> stores{Store{}};
  SharedWord value = 0;
  std::array<Count, most_ranks> written{}, read{};

  Count last() const { return static_cast<Count>(first + stores.size() - 1); }
};

struct State {
  std::array<RankState, most_ranks> ranks;
  std::vector<Word> words;
};

/// Two numbers of 64 bits: that different states have the same is not to be expected.
class Fingerprint {
 public:
  template <class T>
  void add(const T& part) {
    static_assert(std::has_unique_object_representations_v<T>);
    const auto* const bytes = reinterpret_cast<const unsigned char*>(&part);
    for (std::size_t i = 0; i < sizeof part; ++i) {
      one_ = (one_ ^ bytes[i]) * 0x100000001b3u;
      two_ = (two_ + bytes[i] + 1) * 0x9E3779B97F4A7C15u;
      two_ ^= two_ >> 29;
    }
  }
  bool operator==(const Fingerprint&) const = default;
  std::uint64_t hash() const { return one_ ^ two_; }

 private:
  std::uint64_t one_ = 0xcbf29ce484222325u, two_ = 0x8CB92BA72F3D8DD7u;
};
struct Hash {
  std::size_t operator()(const Fingerprint& of) const { return of.hash(); }
};

// ---- the search ----

class Search {
 public:
  Search(const Protocol& protocol, const std::string& fault, bool all_orders)
      : protocol_(protocol), all_orders_(all_orders) {
    for (int rank = 0; rank < protocol.ranks; ++rank)
      behaviours_.emplace_back(protocol, rank, fault, found_.faults);
  }

  Found run() {
    State begin;
    begin.words.resize(protocol_.words.named().size());
    for (std::size_t rank = 0; rank < ranks(); ++rank)
      if (!settle_down(begin, rank)) return std::move(found_);
    explore(std::move(begin));
    return std::move(found_);
  }

 private:
  std::size_t ranks() const { return behaviours_.size(); }
  const Act& next(const State& state, std::size_t rank) {
    return behaviours_[rank].next(state.ranks[rank].place);
  }
  void go(State& state, std::size_t rank, SharedWord result) {
    std::uint32_t& place = state.ranks[rank].place;
    place = behaviours_[rank].after(place, result);
  }
  void say(std::size_t rank, const std::string& text) {
    trail_.push_back("rank " + std::to_string(rank) + " " + text);
  }
  bool wrong(const std::string& what) {
    found_.wrong = what;
    found_.how = trail_;
    return false;
  }
  const std::string& text_of(std::size_t word) const { return protocol_.words.named()[word].text; }

  /// Does all that a rank does next of which it makes no difference when: plain cells, because what
  /// a race would be with is known by the views; fences; and stores, unless all orders are
  /// searched.
  bool settle_down(State& state, std::size_t rank) {
    for (;;) {
      const Act act = next(state, rank);
      RankState& me = state.ranks[rank];
      switch (act.kind) {
        case Act::fence:
          if (!protocol_.fences) throw std::logic_error(protocol_.name + " has fences");
          me.fence(act.order);
          go(state, rank, 0);
          break;
        case Act::settle: go(state, rank, 0); break;
        case Act::store:
          if (all_orders_) return true;
          say(rank, "stores " + std::to_string(act.value) + " in " + text_of(act.word));
          if (!store(state, rank, act)) return false;
          break;
        case Act::put:
        case Act::get: {
          Word& cell = state.words[act.word];
          const bool puts = act.kind == Act::put;
          say(rank, (puts ? "writes " : "reads ") + text_of(act.word));
          for (std::size_t other = 0; other < ranks(); ++other)
            if (other != rank && (cell.written[other] > me.now.accesses[other] ||
                                  (puts && cell.read[other] > me.now.accesses[other])))
              return wrong("a race with rank " + std::to_string(other));
          const Count mine = ++me.now.accesses[rank];
          me.acquired.accesses[rank] = mine;
          (puts ? cell.written : cell.read)[rank] = mine;
          if (puts) cell.value = act.value;
          go(state, rank, puts ? 0 : cell.value);
          break;
        }
        case Act::wrong: say(rank, "finds"); return wrong(act.text);
        default: return true;
      }
    }
  }

  /// The next thing of which the order matters, and what follows. False at the first wrong state.
  bool explore(State state) {
    forget(state);
    if (!visited_.insert(fingerprint(state)).second) return true;
    ++found_.states;
    bool moved = false, all_done = true;
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
      all_done = all_done && next(state, rank).kind == Act::done;
      if (!act(state, rank, moved)) return false;
    }
    if (!meet(state, moved)) return false;
    if (!moved && !all_done) {
      for (std::size_t rank = 0; rank < ranks(); ++rank) {
        const Act& at = next(state, rank);
        if (at.kind == Act::done) continue;
        say(rank, at.kind == Act::meet   ? "waits at " + at.text
                  : at.kind == Act::load ? "waits for " + text_of(at.word)
                                         : "waits");
      }
      return wrong("a deadlock");
    }
    return true;
  }

  bool follow(State state, std::size_t rank) {
    return settle_down(state, rank) && explore(std::move(state));
  }

  bool act(const State& state, std::size_t rank, bool& moved) {
    const Act act = next(state, rank);
    const std::size_t said = trail_.size();
    bool right = true;
    if (act.kind == Act::choose) {
      for (SharedWord choice = 0; right && choice < act.value; ++choice) {
        State chosen = state;
        go(chosen, rank, choice);
        right = settle_down(chosen, rank);
        if (!right) break;
        // What it has chosen to wait for, it waits for at once: else it would choose otherwise.
        const Act::Kind then = next(chosen, rank).kind;
        if (then == Act::load || then == Act::choose) {
          right = this->act(chosen, rank, moved);
        } else {
          moved = true;
          right = explore(std::move(chosen));
        }
      }
    } else if (act.kind == Act::store) {
      moved = true;
      say(rank, "stores " + std::to_string(act.value) + " in " + text_of(act.word));
      State after = state;
      right = store(after, rank, act) && follow(std::move(after), rank);
    } else if (act.kind == Act::add) {
      moved = true;
      say(rank, "adds " + std::to_string(act.value) + " to " + text_of(act.word));
      State after = state;
      add(after, rank, act);
      right = follow(std::move(after), rank);
    } else if (act.kind == Act::load) {
      const Word& word = state.words[act.word];
      const Count known = state.ranks[rank].now.stores[act.word];
      for (std::size_t i = 0; right && i < word.stores.size(); ++i) {
        if (word.first + i < known) continue;
        State after = state;
        if (!load(after, rank, act, i)) continue;  // it goes on waiting
        moved = moved || !act.waits || next_after_last(state, rank, act) != Act::blocked;
        say(rank, "loads " + std::to_string(word.stores[i].value) + " from " + text_of(act.word));
        right = follow(std::move(after), rank);
        if (right) trail_.resize(said);
        if (act.waits && !all_orders_) break;
      }
    }
    if (right) trail_.resize(said);
    return right;
  }

  bool store(State& state, std::size_t rank, const Act& act) {
    if (state.ranks[rank].now.stores[act.word] != state.words[act.word].last())
      return wrong("two ranks store there");
    append(state, rank, act.word, act.value, act.order);
    go(state, rank, 0);
    return true;
  }

  void append(State& state, std::size_t rank, std::size_t at, SharedWord value,
              std::memory_order order, const View& with = {}) {
    RankState& me = state.ranks[rank];
    Word& word = state.words[at];
    const auto number = static_cast<Count>(word.last() + 1);
    if (number == 255) throw std::length_error("too many stores to a word");
    me.now.stores[at] = me.acquired.stores[at] = number;
    View seen_with_it = order == std::memory_order_relaxed ? me.released : me.now;
    seen_with_it.join(with);
    seen_with_it.stores[at] = number;
    word.stores.push_back({value, seen_with_it});
  }

  /// To the last store, whose orders those who see this one see, too.
  void add(State& state, std::size_t rank, const Act& act) {
    RankState& me = state.ranks[rank];
    const Store last = state.words[act.word].stores.back();
    me.acquired.join(last.view);
    if (act.order != std::memory_order_relaxed) me.now.join(last.view);
    append(state, rank, act.word, last.value + act.value, act.order, last.view);
    go(state, rank, 0);
  }

  /// False if the rank then waits all the same: what it knows more by then only leaves it less to
  /// see, so that need not be followed.
  bool load(State& state, std::size_t rank, const Act& act, std::size_t i) {
    RankState& me = state.ranks[rank];
    const Word& word = state.words[act.word];
    const Store& seen = word.stores[i];
    const auto number = static_cast<Count>(word.first + i);
    me.now.stores[act.word] = number;
    me.acquired.join(seen.view);
    me.acquired.stores[act.word] = std::max(me.acquired.stores[act.word], number);
    if (act.order != std::memory_order_relaxed) me.now.join(seen.view);
    go(state, rank, seen.value + (act.early ? 1 : 0));
    return next(state, rank).kind != Act::blocked;
  }

  /// Where a wait comes to when it sees the last store: another may never be seen.
  Act::Kind next_after_last(State state, std::size_t rank, const Act& act) {
    load(state, rank, act, state.words[act.word].stores.size() - 1);
    return next(state, rank).kind;
  }

  bool meet(const State& state, bool& moved) {
    for (std::size_t rank = 0; rank < ranks(); ++rank)
      if (next(state, rank).kind != Act::meet) return true;
    moved = true;
    const Act at = next(state, 0);
    State after = state;
    View all;
    for (std::size_t rank = 0; rank < ranks(); ++rank)
      all.join(at.meeting == Searched::Meeting::bare ? state.ranks[rank].released
                                                     : state.ranks[rank].now);
    const std::size_t said = trail_.size();
    trail_.push_back("all meet: " + at.text);
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
      RankState& one = after.ranks[rank];
      one.acquired.join(all);
      if (at.meeting == Searched::Meeting::ordering) {
        one.now = one.acquired;
        one.released = one.now;
      }
      go(after, rank, 0);
    }
    for (std::size_t rank = 0; rank < ranks(); ++rank)
      if (!settle_down(after, rank)) return false;
    if (!explore(std::move(after))) return false;
    trail_.resize(said);
    return true;
  }

  /// Forgets stores that every rank which still runs knows to be overwritten, and of what is known
  /// that which makes no difference any more.
  void forget(State& state) {
    for (std::size_t w = 0; w < state.words.size(); ++w) {
      Word& word = state.words[w];
      Count oldest = word.last();
      for (std::size_t rank = 0; rank < ranks(); ++rank)
        if (next(state, rank).kind != Act::done)
          oldest = std::min(oldest, state.ranks[rank].now.stores[w]);
      if (oldest <= word.first) continue;
      word.stores.erase(word.stores.begin(), word.stores.begin() + (oldest - word.first));
      word.first = oldest;
    }
    const auto simplify = [&](View& view) {
      for (std::size_t w = 0; w < state.words.size(); ++w)
        view.stores[w] = std::max(view.stores[w], state.words[w].first);
      for (std::size_t rank = 0; rank < ranks(); ++rank) {
        Count known = 0;  // the last access that some other could be a race with
        for (const Word& word : state.words)
          for (const Count access : {word.written[rank], word.read[rank]})
            if (access <= view.accesses[rank]) known = std::max(known, access);
        view.accesses[rank] = known;
      }
    };
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
      RankState& one = state.ranks[rank];
      const Count mine = one.now.accesses[rank];
      for (View* view : {&one.now, &one.acquired, &one.released}) simplify(*view);
      one.now.accesses[rank] = one.acquired.accesses[rank] = mine;
    }
    for (Word& word : state.words)
      for (Store& store : word.stores) simplify(store.view);
  }

  Fingerprint fingerprint(const State& state) const {
    Fingerprint of;
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
      const RankState& one = state.ranks[rank];
      of.add(one.place);
      of.add(one.now);
      if (!protocol_.fences) continue;
      of.add(one.acquired);
      of.add(one.released);
    }
    for (const Word& word : state.words) {
      of.add(word.first);
      of.add(word.value);
      of.add(word.written);
      of.add(word.read);
      for (const Store& store : word.stores) {
        of.add(store.value);
        of.add(store.view);
      }
    }
    return of;
  }

  const Protocol& protocol_;
  bool all_orders_;
  std::vector<Behaviour> behaviours_;
  std::unordered_set<Fingerprint, Hash> visited_;
  std::vector<std::string> trail_;
  Found found_;
};

}  // namespace

Found search(const Protocol& protocol, const std::string& fault, bool all_orders) {
  return Search(protocol, fault, all_orders).run();
}

}  // namespace protocols
