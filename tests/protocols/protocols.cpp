#include "protocols.hpp"

#include "notify_ranks.hpp"
#include "other_ranks.hpp"
#include "shm_ranks.hpp"

#include <type_traits>

namespace protocols {

namespace {

struct Pattern {
  const char* name;
  std::vector<Links> links{};
};

const Pattern one_way{"0 to 1", {{{1}, {}}, {{}, {0}}}};
const Pattern both_ways{"0 and 1", {{{1}, {1}}, {{0}, {0}}}};
const Pattern chain{"0 to 1 to 2", {{{1}, {}}, {{2}, {0}}, {{}, {1}}}};
const Pattern ring{"0 to 1 to 2 to 0", {{{1}, {2}}, {{2}, {0}}, {{0}, {1}}}};
const Pattern star{"0 and 1, 0 and 2", {{{1, 2}, {1, 2}}, {{0}, {0}}, {{0}, {0}}}};
const Pattern everybody{"all with all", {{{1, 2}, {1, 2}}, {{0, 2}, {0, 2}}, {{0, 1}, {0, 1}}}};

template <class Name, class Rank>
Protocol made(std::string name, int ranks, std::string steps, bool fences, std::size_t words,
              const Name& names, Rank rank) {
  Protocol protocol{std::move(name), ranks, std::move(steps), Words(words), fences, {}};
  names(protocol.words);
  SharedWord* const memory = protocol.words.at(0);  // stays where it is when the words are moved
  protocol.rank = [memory, rank](int me) { rank(me, memory); };
  return protocol;
}

std::string counted(int number, const char* what) {
  return std::to_string(number) + " " + what;
}

class List {
 public:
  explicit List(bool more) : more_(more) {}

  template <class Rank>
  void shm(const char* method, const Pattern& pattern, Shape shape,
           std::set<std::string> not_needed = {}) {
    static const std::string cells[] = {"slots", "access=copy", "access=direct"};
    shape.links = pattern.links;
    shape.steps += more_ ? 2 : 0;
    std::string name =
        std::string(method) + ", " +
        (shape.one_slot && shape.cells == CellsIn::slots ? "one slot"
                                                         : cells[static_cast<int>(shape.cells)]);
    if (shape.numbered) name += ", numbered";
    if (shape.start_waits) name += ", start waits";
    const std::string family = name;
    name += std::string(", ") + pattern.name;
    all_.push_back({made(
                        name, shape.ranks(), counted(shape.steps, "steps"),
                        !std::is_same_v<Rank, SignalRank<Searched>>, place::all(shape.ranks()),
                        [&](Words& words) { Rank::name(words, shape); },
                        [shape](int me, SharedWord* memory) { Rank(shape, me, memory, 0).run(); }),
                    family, std::move(not_needed), !shape.start_waits});
  }

  /// One exchange after the other in the same memory.
  void exchanges(const Pattern& pattern, Shape shape, std::set<std::string> not_needed = {}) {
    shape.links = pattern.links;
    shape.exchanges = 2;
    shape.steps = more_ ? 4 : 3;
    const std::string family =
        std::string("shm:signal, made twice") + (shape.numbered ? ", numbered" : "");
    all_.push_back({made(
                        family + ", " + pattern.name, shape.ranks(),
                        counted(2, "exchanges of ") + counted(shape.steps, "steps"), false,
                        place::all(shape.ranks()),
                        [&](Words& words) { SignalRank<Searched>::name(words, shape); },
                        [shape](int me, SharedWord* memory) {
                          signal_exchanges<Searched>(shape, me, memory);
                        }),
                    family, std::move(not_needed)});
  }

  void passive(const Pattern& pattern, Passive shape, std::set<std::string> not_needed = {}) {
    shape.links = pattern.links;
    shape.steps += more_ ? 2 : 0;
    const std::string family = std::string(shape.puts ? "rma:put" : "rma:get") +
                               ", notify=" + (shape.notify == Notify::flag ? "flag" : "counter") +
                               (shape.slots == 0 ? ", in place" : "");
    all_.push_back({made(
                        family + ", " + pattern.name, shape.ranks(), counted(shape.steps, "steps"),
                        false, window::all(shape.ranks()),
                        [&](Words& words) { PassiveRank<Searched>::name(words, shape); },
                        [shape](int me, SharedWord* memory) {
                          PassiveRank<Searched>(shape, me, memory).run();
                        }),
                    family, std::move(not_needed)});
  }

  void overwritten(const char* name, bool lock, int ranks, Overwritten is,
                   void (*rank)(const Overwritten&, int, SharedWord*),
                   std::set<std::string> not_needed = {}) {
    is.messages += more_ ? 1 : 0;
    const std::string family = std::string(name) + (!lock           ? ""
                                                    : is.slots == 1 ? ", 1 slot"
                                                                    : ", 2 slots");
    all_.push_back(
        {made(
             family, ranks, counted(is.messages, "messages, ") + counted(is.reads, "reads"), lock,
             8 * (1 + is.slots), [&](Words& words) { name_message(words, is, lock); },
             [is, rank](int me, SharedWord* memory) { rank(is, me, memory); }),
         family, std::move(not_needed)});
  }

  void copy_of(Island island, std::set<std::string> not_needed = {}) {
    island.versions += more_ ? 2 : 0;
    const std::string family = std::string("replicated array, ") +
                               (island.alone ? "one island" : "one of several islands");
    all_.push_back(
        {made(
             family, island.ranks, counted(island.versions, "versions"), false, copy::all,
             [&](Words& words) { name_copy(words, island); },
             [island](int me, SharedWord* memory) { replicated<Searched>(island, me, memory); }),
         family, std::move(not_needed)});
  }

  std::vector<Searchable> take() { return std::move(all_); }

 private:
  bool more_;
  std::vector<Searchable> all_;
};

}  // namespace

std::vector<Searchable> all_protocols(bool more) {
  using Signal = SignalRank<Searched>;
  using Message = MessageRank<Searched>;
  using Fence = FenceRank<Searched>;
  using Pscw = PscwRank<Searched>;
  constexpr auto field = CellsIn::field, in_place = CellsIn::place;
  List list(more);

  for (const bool numbered : {false, true}) {
    list.shm<Signal>("shm:signal", one_way, {.numbered = numbered, .steps = 8});
    list.shm<Signal>("shm:signal", both_ways, {.numbered = numbered, .steps = 8});
    list.shm<Signal>("shm:signal", chain, {.numbered = numbered, .steps = 6});
    list.shm<Signal>("shm:signal", ring, {.numbered = numbered, .steps = 6});
    list.shm<Signal>("shm:signal", star, {.numbered = numbered, .steps = 6});
    if (!numbered) list.shm<Signal>("shm:signal", everybody, {.steps = 4});
  }
  for (const Pattern& pattern : {one_way, both_ways, ring, everybody})
    list.shm<Signal>("shm:signal", pattern, {.cells = field, .steps = 4});
  for (const Pattern& pattern : {one_way, both_ways, everybody})
    list.shm<Signal>("shm:signal", pattern, {.cells = in_place, .steps = 6});
  list.exchanges(both_ways, {});
  list.exchanges(ring, {});
  list.exchanges(both_ways, {.numbered = true});

  for (const Pattern& pattern : {one_way, both_ways, ring, star}) {
    // A source that is answered in the same step has no use for two slots.
    const bool two_way = Shape{.links = pattern.links}.two_way();
    const Shape in_slots{.one_slot = !two_way, .steps = 4}, in_field{.cells = field, .steps = 4};
    // Nothing is awaited there.
    const std::set<std::string> idle =
        two_way ? std::set<std::string>{"relaxed acquire fence in reclaimed"}
                : std::set<std::string>{};
    list.shm<Message>("shm:message", pattern, in_slots, idle);
    list.shm<Message>("shm:message", pattern, in_field);
    list.shm<Fence>("shm:fence", pattern, in_slots);
    list.shm<Fence>("shm:fence", pattern, in_field);
    list.shm<Pscw>("shm:pscw", pattern, in_slots, idle);
    list.shm<Pscw>("shm:pscw", pattern, in_field);
    for (Shape shape : {in_slots, in_field}) {
      shape.start_waits = true;
      list.shm<Pscw>("shm:pscw", pattern, shape);
    }
  }

  for (const Notify notify : {Notify::flag, Notify::counter})
    for (const bool puts : {true, false})
      for (const int slots : {2, 0})
        for (const Pattern& pattern : {one_way, both_ways, ring, star})
          list.passive(pattern, {.notify = notify, .puts = puts, .slots = slots});

  for (const std::size_t slots_in_turn : {1, 2}) {
    const int reads = slots_in_turn == 1 ? 1 : 2;
    const Overwritten is{.words = 2, .slots = slots_in_turn, .messages = 3, .reads = reads};
    list.overwritten("asynchronous shm:signal", true, 2, is, sequence_lock<Searched>);
  }
  list.overwritten("asynchronous shm:signal", true, 3,
                   {.words = 2, .slots = 2, .messages = 3, .reads = 1}, sequence_lock<Searched>);
  list.overwritten("asynchronous shm:signal, racy", false, 2,
                   {.words = 3, .slots = 1, .messages = 3, .reads = 2}, racy_message<Searched>);

  for (const int ranks : {2, 3})
    for (const bool alone : {true, false})
      list.copy_of({.ranks = ranks, .alone = alone, .versions = ranks == 2 ? 6 : 5});
  return list.take();
}

}  // namespace protocols
