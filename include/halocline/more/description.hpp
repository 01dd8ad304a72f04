#pragma once
// What a method does in one step, as a list of operations for a rank. Pure data, no MPI call. Every
// method's file describes it beside its code; simulator, diagrams and tests read the description.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline::model {

/// What a rank does. Those that wait do so for one peer; `notify` and `await` are everything by
/// which a rank says that it has come so far: empty messages, flags, counters, signals, post and
/// complete.
enum class Verb : std::uint8_t {
  compute,   ///< the rank is busy for so many `seconds`
  call,      ///< busy with a call that neither moves nor waits
  pack,      ///< busy copying cells into a message
  unpack,    ///< busy copying a message into cells
  copy,      ///< busy copying cells of its own, or of a peer's memory
  send,      ///< a message goes to `peer`
  receive,   ///< waits for the message of `peer`, and takes it
  sent,      ///< waits until the message to `peer` no longer needs its buffer
  put,       ///< bytes go to the memory of `peer`
  get,       ///< bytes come from the memory of `peer` to mine
  flush,     ///< waits until what was put to, or got from, `peer` is there
  progress,  ///< from here on inside MPI: what `peer` has put arrives, where MPI needs that
  lock,      ///< waits until `peer` has granted access
  unlock,    ///< `flush`, and `peer` is notified
  notify,    ///< `peer` learns that I have come to this `Word`
  await,     ///< waits until `peer` has come to it, `lag` steps ago
  barrier,   ///< waits for all ranks that do so on `group`, in a tree
  offer,     ///< bytes go to `peer` if there is room for them; nobody waits for them
  look,      ///< whether there are news of `peer`; waits for none
};
inline constexpr std::size_t verbs = 19;

/// What is notified and awaited; each is a stream of its own between two ranks.
enum class Word : std::uint8_t {
  data,      ///< a message
  arrived,   ///< your data are there, or are there to be got
  permit,    ///< the memory of your data may be used again
  post,      ///< MPI_Win_post
  complete,  ///< MPI_Win_complete
  returned,  ///< the empty epoch, message or signal that says that cells have been read
  partial,   ///< what a reduction hands on
};

/// Groups of a barrier: all ranks, the ranks of an island, or those who reach one rank's memory.
struct Group {
  enum class Of : std::uint8_t { all, island, owner } of = Of::all;
  int number = 0;  ///< of the island, or the owner
  auto operator<=>(const Group&) const = default;
};

struct Operation {
  Verb verb = Verb::call;
  /// The name under which a machine file has its cost. After a colon follows a variety, which costs
  /// what the name without it does where the file does not say: "send:persistent".
  std::string_view cost{};
  int peer = -1;
  std::size_t bytes = 0, pieces = 0;  ///< contiguous pieces; those of the cells
  /// Cache lines of the caller's cells that are read or written, and the bytes of the array that
  /// they lie in: the larger it is, the farther away they are.
  std::size_t lines = 0, span = 0;
  Word word = Word::data;
  int lag = 0;
  Group group{};
  int exchange = 0;    ///< of several in a step, which do not await each other's words
  double seconds = 0;  ///< of compute
  /// One of several that the rank takes in the order in which they arrive: such operations follow
  /// each other, each beginning with what it waits for.
  bool any = false;
};

/// One message of a step.
struct LinkSize {
  int peer = -1;
  std::size_t bytes = 0, pieces = 1;  ///< pieces of contiguous cells
  bool inside = true;                 ///< the peer is in my island
  std::size_t capacity = 0;           ///< of a ragged exchange: the most bytes, if above `bytes`
  std::size_t lines = 0, span = 0;    ///< of the cells, as of Operation; 0: as near as can be
};

/// What a description is made for: the links of one rank.
struct Links {
  int rank = 0, ranks = 1, island = 0;
  std::vector<LinkSize> sends{}, receives{};
  std::size_t kept_bytes = 0, kept_pieces = 0;  ///< cells that stay on this rank
  std::size_t kept_lines = 0, span = 0;
  bool several_islands = false;  ///< on any rank a link leaves its island
  bool two_way = true;           ///< on all ranks: who sends to whom receives from them
  /// The stages of a halo that travels axis by axis (corners=forwarded); empty if there are none.
  std::vector<Links> stages{};
  /// The hops by way of heads (heads=), as `Hop` has them; empty if no rank's links leave its
  /// island.
  std::vector<Links> hops{};
};

/// One step of one rank. Between `start` and `finish` the caller may compute.
struct Step {
  std::vector<Operation> start{}, finish{};
  std::size_t buffer_bytes = 0;  ///< messages kept on the heap
  std::size_t window_bytes = 0;  ///< memory that others reach: windows, shared and symmetric memory
};

/// The exchanges that one by heads is made of: Operation::exchange of its description.
enum Hop : std::uint8_t { within_islands, to_heads, between_heads, from_heads };
inline constexpr int hops_by_heads = 4;

/// A scheme's method and options, also where this MPI lacks the method. Options that are not given
/// have no entry.
struct Chosen {
  std::string method{};
  std::map<std::string, std::string, std::less<>> options{};

  bool is(std::string_view option, std::string_view value) const {
    const auto found = options.find(option);
    return found != options.end() && found->second == value;
  }
  /// "put" of "rma:put:fence"; empty when the method has no such part.
  std::string_view part(std::size_t index) const;
};

/// The links inside the island, and those to others.
std::pair<Links, Links> split(const Links& links);

/// A list of operations that reads as a method does: `script.pack(link); script.send(link);`.
class Script {
 public:
  explicit Script(std::vector<Operation>& operations) : operations_(operations) {}

  void call(std::string_view cost) { add({.verb = Verb::call, .cost = cost}); }
  void pack(const LinkSize& link, std::string_view cost = "pack") { moved(Verb::pack, cost, link); }
  void unpack(const LinkSize& link, std::string_view cost = "unpack") {
    moved(Verb::unpack, cost, link);
  }
  void copy(const LinkSize& link, std::string_view cost) { moved(Verb::copy, cost, link); }
  /// Cells that stay on this rank.
  void keep(const Links& links) {
    if (links.kept_bytes > 0)
      add({.verb = Verb::copy,
           .cost = "copy",
           .bytes = links.kept_bytes,
           .pieces = links.kept_pieces,
           .lines = links.kept_lines,
           .span = links.span});
  }
  void send(const LinkSize& link, std::string_view cost = "send") { moved(Verb::send, cost, link); }
  void receive(const LinkSize& link, std::string_view cost = "receive") {
    moved(Verb::receive, cost, link);
  }
  void sent(const LinkSize& link) { moved(Verb::sent, "sent", link); }
  void put(const LinkSize& link, std::string_view cost = "put") { moved(Verb::put, cost, link); }
  void get(const LinkSize& link, std::string_view cost = "get") { moved(Verb::get, cost, link); }
  void progress(const LinkSize& link) { moved(Verb::progress, "progress", link); }
  void flush(const LinkSize& link, std::string_view cost = "flush") {
    moved(Verb::flush, cost, link);
  }
  void lock(const LinkSize& link) { moved(Verb::lock, "lock", link); }
  void unlock(const LinkSize& link) { moved(Verb::unlock, "unlock", link); }
  void notify(int peer, Word word, std::string_view cost) {
    add({.verb = Verb::notify, .cost = cost, .peer = peer, .word = word});
  }
  void await(int peer, Word word, std::string_view cost, int lag = 0) {
    add({.verb = Verb::await, .cost = cost, .peer = peer, .word = word, .lag = lag});
  }
  void offer(const LinkSize& link, std::string_view cost) { moved(Verb::offer, cost, link); }
  void look(const LinkSize& link, std::string_view cost) { moved(Verb::look, cost, link); }
  void barrier(Group group, std::string_view cost) {
    add({.verb = Verb::barrier, .cost = cost, .group = group});
  }
  void then(const std::vector<Operation>& others) {
    operations_.insert(operations_.end(), others.begin(), others.end());
  }

  /// What `each` adds for a link is taken in the order of arrival.
  template <class Each>
  void whichever_first(const std::vector<LinkSize>& links, Each&& each) {
    for (const LinkSize& link : links) {
      const std::size_t begin = operations_.size();
      each(link);
      for (std::size_t i = begin; i < operations_.size(); ++i) operations_[i].any = true;
    }
  }

 private:
  void add(const Operation& operation) { operations_.push_back(operation); }
  void moved(Verb verb, std::string_view cost, const LinkSize& link) {
    add({.verb = verb,
         .cost = cost,
         .peer = link.peer,
         .bytes = link.bytes,
         .pieces = link.pieces,
         .lines = touches(verb, cost, link) ? link.lines : 0,
         .span = link.span});
  }
  /// Copies touch cells, and messages of one block that are sent, or received, where these lie.
  static bool touches(Verb verb, std::string_view cost, const LinkSize& link) {
    if (verb == Verb::pack || verb == Verb::unpack || verb == Verb::copy) return true;
    return (verb == Verb::send || verb == Verb::receive || verb == Verb::put) &&
           (link.pieces <= 1 || cost == "put:accumulate");
  }

  std::vector<Operation>& operations_;
};

}  // namespace halocline::model

#pragma GCC visibility pop
