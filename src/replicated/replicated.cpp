// One copy an island, and the heads' exchange of it. Who waits for whom: turns.hpp.

#include <halocline/more/islands.hpp>
#include <halocline/more/replicated.hpp>

#include "exchange/core/shared_access.hpp"
#include "memory/cache_line.hpp"
#include "mpi/collectives.hpp"
#include "mpi/made_together.hpp"
#include "mpi/refusal.hpp"
#include "spread.hpp"
#include "turns.hpp"

#include <halocline/exchange.hpp>
#include <halocline/more/waiting.hpp>

#include <map>

namespace halocline {

std::vector<Pattern> rounds_of_write(int heads, int me, int writer, std::int64_t elements,
                                     std::size_t element_bytes) {
  // The blocks of a smaller array would not pay for more rounds.
  constexpr std::size_t small = 16 << 10;
  return static_cast<std::size_t>(elements) * element_bytes < small
             ? detail::broadcast(heads, me, writer, elements)
             : detail::scatter_and_gather(heads, me, writer, elements);
}

}  // namespace halocline

namespace halocline::detail {

using Turns = VersionTurns<SharedAccess>;
using Line = Turns::Line;

struct ReplicatedBytes::State {
  State(MPI_Comm ranks, std::size_t elements_, std::size_t element_bytes_,
        const ReplicatedOptions& options)
      : comm(mpi::Comm::duplicate(ranks)),
        elements(static_cast<std::int64_t>(elements_)),
        element_bytes(element_bytes_),
        scheme(options.scheme),
        islands(comm, options.island) {
    check();
    allocate(options.island);
  }

  void check();
  void allocate(const IslandSpec& island);

  bool writes(Owner owner) const { return !owner || *owner == mpi::rank(comm); }
  /// One for each rank of my island that writes.
  std::vector<Line*> writers(Owner owner) const;
  Turns::Role role(Owner owner) const {
    return {.writes = writes(owner),
            .passes_on = passes_on(),
            .alone = islands.count() == 1,
            .awaited = writers(owner)};
  }
  /// Whether this rank is the one of its island that sends and receives.
  bool passes_on() const { return islands.is_head() && islands.count() > 1; }
  template <class Reached>
  void wait(const char* what, const Reached& reached) const;
  void sync_release() const {
    if (epoch) HALOCLINE_MPI(MPI_Win_sync, memory.win());
    maybe_delay();
  }
  void sync_acquire() const {
    if (epoch) HALOCLINE_MPI(MPI_Win_sync, memory.win());
  }

  /// How the heads pass on what `owner`, or everybody, has written.
  std::vector<Exchange>& rounds(Owner owner);
  std::vector<Pattern> patterns(Owner owner) const;
  Shares shares_of_islands() const;

  mpi::Comm comm;
  std::int64_t elements;
  std::size_t element_bytes;
  Scheme scheme;
  Islands islands;
  Memory memory, line_memory;
  std::shared_ptr<void> epoch;  // on `memory`, while it is shared
  std::string why;              // it is not
  std::byte* data = nullptr;
  Turns turns;
  std::map<Owner, std::vector<Exchange>> spread;
};

void ReplicatedBytes::State::check() {
  const auto least = mpi::agree(comm, "", {elements, -elements});
  std::string complaint;
  if (least[0] != -least[1])
    complaint = "replicated array: ranks ask for different sizes, between " +
                std::to_string(least[0]) + " and " + std::to_string(-least[1]) + " elements";
  mpi::agree(comm, complaint);
}

void ReplicatedBytes::State::allocate(const IslandSpec& island) {
  const std::size_t bytes = static_cast<std::size_t>(elements) * element_bytes;
  const int ranks = mpi::size(islands.island()), local = mpi::rank(islands.island());
  // On one island what lies between these is what its ranks write by parts.
  const auto boundary = [&](int rank) {
    const auto begin = rank < ranks ? part_of(elements, ranks, rank).begin : elements;
    return round_up(static_cast<std::size_t>(begin) * element_bytes, page);
  };
  memory = Memory(comm, boundary(local + 1) - boundary(local), MemoryKind::shared, island,
                  SharedParts::joined);
  line_memory = Memory(comm, line_pair, MemoryKind::shared, island);
  for (const Memory& part : {memory, line_memory})
    if (part.kind() != MemoryKind::shared) why = part.note();
  std::vector<Line*> lines;
  if (why.empty()) {
    epoch = memory.passive_epoch();
    data = memory.of_peer(islands.island(), 0);
    for (int rank = 0; rank < ranks; ++rank)
      lines.push_back(reinterpret_cast<Line*>(line_memory.of_peer(islands.island(), rank)));
  } else {
    // As on islands of one rank each.
    islands = Islands(comm, "1");
    memory = Memory(comm, bytes, MemoryKind::plain);
    line_memory = Memory(comm, line_pair, MemoryKind::plain);
    data = memory.data();
    lines = {reinterpret_cast<Line*>(line_memory.data())};
  }
  turns = Turns(std::move(lines), static_cast<std::size_t>(mpi::rank(islands.island())));
}

template <class Reached>
void ReplicatedBytes::State::wait(const char* what, const Reached& reached) const {
  for (Waiting waiting(what); !reached();) waiting.again(comm);
}

std::vector<Line*> ReplicatedBytes::State::writers(Owner owner) const {
  const std::vector<Line*>& lines = turns.lines();
  if (!owner) return lines;
  const int local = islands.local_rank(*owner);
  return local == MPI_UNDEFINED ? std::vector<Line*>{}
                                : std::vector{lines[static_cast<std::size_t>(local)]};
}

/// What each head has at first: the parts of its island's ranks, of which consecutive ones are one.
Shares ReplicatedBytes::State::shares_of_islands() const {
  const int heads = mpi::size(islands.heads()), ranks = mpi::size(comm);
  // The heads alone know whose island is which.
  std::vector<int> head_of(static_cast<std::size_t>(ranks), 0);
  for (int rank = 0; rank < ranks; ++rank)
    if (islands.local_rank(rank) != MPI_UNDEFINED)
      head_of[static_cast<std::size_t>(rank)] = islands.index();
  head_of = mpi::reduced(islands.heads(), std::move(head_of), MPI_MAX);
  std::vector<std::vector<Range>> shares(static_cast<std::size_t>(heads));
  for (int rank = 0; rank < ranks; ++rank) {
    const Range part = part_of(elements, ranks, rank);
    auto& of_head = shares[static_cast<std::size_t>(head_of[static_cast<std::size_t>(rank)])];
    if (part.size() == 0) continue;
    if (!of_head.empty() && of_head.back().end == part.begin)
      of_head.back().end = part.end;
    else
      of_head.push_back(part);
  }
  return [shares](int head) { return shares[static_cast<std::size_t>(head)]; };
}

std::vector<Pattern> ReplicatedBytes::State::patterns(Owner owner) const {
  const int heads = mpi::size(islands.heads()), me = mpi::rank(islands.heads());
  if (!owner) return gather_everywhere(heads, me, shares_of_islands());
  const int mine = islands.local_rank(*owner) != MPI_UNDEFINED ? me : 0;
  const int root = mpi::reduced(islands.heads(), mine, MPI_MAX);
  return rounds_of_write(heads, me, root, elements, element_bytes);
}

std::vector<Exchange>& ReplicatedBytes::State::rounds(Owner owner) {
  const auto [found, is_new] = spread.try_emplace(owner);
  if (is_new) {
    const Field copy{data, element_bytes, static_cast<std::size_t>(elements)};
    for (const Pattern& round : patterns(owner))
      found->second.emplace_back(islands.heads(), round, copy, scheme);
  }
  return found->second;
}

ReplicatedBytes::ReplicatedBytes(MPI_Comm comm, std::size_t elements, std::size_t element_bytes,
                                 const ReplicatedOptions& options)
    : state_([&] {
        const mpi::Making making(comm);
        return mpi::ended_together(comm,
                                   std::make_shared<State>(comm, elements, element_bytes, options));
      }()) {}

std::byte* ReplicatedBytes::data() const noexcept {
  return state_->data;
}
std::size_t ReplicatedBytes::elements() const noexcept {
  return static_cast<std::size_t>(state_->elements);
}
bool ReplicatedBytes::shared() const noexcept {
  return state_->memory.kind() == MemoryKind::shared;
}
int ReplicatedBytes::islands() const noexcept {
  return state_->islands.count();
}
const std::string& ReplicatedBytes::note() const noexcept {
  return state_->why;
}
Range ReplicatedBytes::part() const {
  const MPI_Comm comm = state_->comm;
  return part_of(state_->elements, mpi::size(comm), mpi::rank(comm));
}

bool ReplicatedBytes::begin(Owner owner) {
  State& state = *state_;
  if (owner && (*owner < 0 || *owner >= mpi::size(state.comm)))
    throw Error("replicated array: its owner is rank " + std::to_string(*owner) + " of " +
                std::to_string(mpi::size(state.comm)));
  const Turns::Role role = state.role(owner);
  state.turns.begin(role, state);
  return role.writes;
}

void ReplicatedBytes::end(Owner owner) {
  State& state = *state_;
  state.turns.end(state.role(owner), state, [&] {
    for (Exchange& round : state.rounds(owner)) round.run();
  });
}

}  // namespace halocline::detail
