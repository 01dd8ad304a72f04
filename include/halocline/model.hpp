#pragma once
// The model: what each method does in one step, as a list of operations for a rank. Pure data, no
// MPI call. Simulator, diagrams and tests read the same description.

#include <halocline/activity.hpp>
#include <halocline/scheme.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <vector>

namespace halocline::model {

/// What a rank does. Those that wait do so for one peer; `tell` and `hear` are everything by which
/// a rank says that it has come so far: empty messages, flags, counters, signals, post and
/// complete.
enum class Verb : std::uint8_t {
  compute,   ///< the rank is busy for so many `seconds`
  call,      ///< busy with a call that neither moves nor waits
  pack,      ///< busy copying cells into a message
  unpack,    ///< busy copying a message into cells
  copy,      ///< busy copying cells of its own, or of a peer's memory
  send,      ///< a message leaves for `peer`
  receive,   ///< waits for the message of `peer`, and takes it
  sent,      ///< waits until the message to `peer` no longer needs its buffer
  put,       ///< bytes leave for the memory of `peer`
  get,       ///< bytes leave the memory of `peer` for mine
  flush,     ///< waits until what was put to, or got from, `peer` is there
  progress,  ///< from here on inside MPI: what `peer` has put lands, where MPI needs that
  lock,      ///< waits until `peer` has granted access
  unlock,    ///< `flush`, and `peer` is told
  tell,      ///< `peer` learns that I have come to this `Word`
  hear,      ///< waits until `peer` has come to it, `lag` steps ago
  barrier,   ///< waits for all ranks that do so on `group`, in a tree
  offer,     ///< bytes leave for `peer` if there is room for them; nobody waits for them
  look,      ///< whether there are news of `peer`; waits for none
};
inline constexpr std::size_t verbs = 19;

/// What is told and heard; each is a stream of its own between two ranks.
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
  /// By what name a machine file knows what it costs. After a colon follows a variety, which costs
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
  int exchange = 0;    ///< of several in a step, which do not hear each other's words
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
  /// Of a halo that travels axis by axis (corners=forwarded); empty if there are none.
  std::vector<Links> stages{};
  /// Of what goes by heads (heads=), as `Way` has it; empty if no rank's links leave its island.
  std::vector<Links> ways{};
};

/// One step of one rank. Between `start` and `finish` the caller may compute.
struct Step {
  std::vector<Operation> start, finish;
  std::size_t buffer_bytes = 0;  ///< messages kept on the heap
  std::size_t window_bytes = 0;  ///< memory that others reach: windows, shared and symmetric memory
};

/// What else than cells that stay the same an exchange can carry.
enum class Kind : std::uint8_t {
  fixed,
  ragged,        ///< other elements in each step: messages begin with how many (ExchangeOptions)
  reversed,      ///< from halos to their owners, who combine; `sends` are the halos
  asynchronous,  ///< the newest that is there (AsyncExchange)
};
/// Throws Error on another name than those above.
Kind kind_of(std::string_view name);

/// The exchanges that one by heads is made of: Operation::exchange of its description.
enum Way : std::uint8_t { within_islands, to_heads, between_heads, from_heads };
inline constexpr int ways_by_heads = 4;

/// What `scheme` does in one step with these links. Throws Error for `auto`, which is a choice, and
/// for methods that cannot be asynchronous, if that is asked for.
Step describe(const Scheme& scheme, const Links& links, Kind kind = Kind::fixed);
/// The same by a method's name with its default options, also where this MPI lacks it.
Step describe_method(std::string_view method, const Links& links, Kind kind = Kind::fixed);
/// All methods that have a description: those of the registry, without `auto`.
std::vector<std::string> described_methods();

/// How all ranks learn a sum: "allreduce", "chain" (each hands on to its successor) or "last" (all
/// tell the last rank). Throws Error on another name.
std::vector<Operation> describe_reduction(std::string_view kind, int rank, int ranks);

/// What a trace shows while a rank does this (activity.hpp). Calls that reach a whole group, such
/// as MPI_Win_post, are one event there; what is not seen by itself is a wait or a transfer.
Activity activity(const Operation& operation);

std::string_view name(Verb verb);
std::string_view name(Word word);
/// One line, as people read it: "put 4096 bytes to 3".
std::ostream& operator<<(std::ostream& out, const Operation& operation);

}  // namespace halocline::model
