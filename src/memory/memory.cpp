#include <halocline/memory.hpp>
#include <halocline/more/islands.hpp>

#include "cache_line.hpp"
#include "mpi/collectives.hpp"
#include "mpi/made_together.hpp"
#include "mpi/refusal.hpp"
#include "mpi/scarce.hpp"
#include "mpi/windows.hpp"
#include "new_windows.hpp"
#include "own_mapping.hpp"
#include "shared_room.hpp"

#include <halocline/more/device.hpp>

#include <sys/mman.h>
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <limits>
#include <new>
#include <vector>

namespace halocline {

namespace {

struct Release {
  void operator()(std::byte* bytes) const noexcept { std::free(bytes); }
};

std::string out_of_memory(MPI_Comm comm, std::size_t bytes) {
  return "out of memory: rank " + std::to_string(mpi::rank(comm)) + " on " + detail::host() +
         " needs " + detail::in_gib(static_cast<double>(bytes));
}

/// Bytes to ask for, that `begin_apart` finds a place for `bytes` in.
constexpr std::size_t room(std::size_t bytes) {
  return bytes < detail::page ? bytes : bytes + detail::page;
}

/// Where in its room an array begins. Processors tell loads from stores under way by the last
/// twelve bits of their addresses, so a sweep from one array into another waits for stores that do
/// not concern it where both begin alike, or a row or a plane apart (by a tenth to two thirds of
/// its time). Arrays made one after the other begin 37 cache lines of a page apart, a length that
/// few rows and planes have, whatever their kind: schemes that want other memory are not faster or
/// slower for it.
std::size_t begin_apart(const std::byte* room, std::size_t bytes) {
  if (bytes < detail::page) return 0;
  static std::atomic<std::size_t> made{0};
  const std::size_t wanted = made++ * 37 * detail::cache_line;
  return (wanted - reinterpret_cast<std::uintptr_t>(room)) % detail::page;
}

/// Uninitialised bytes from the heap, null if there are none. Large arrays lie on huge pages where
/// the system gives them to those who ask: TLBs do not hold that many small ones.
std::byte* allocate(std::size_t bytes) {
  constexpr std::size_t huge_page = 2 << 20, large = 16 << 20;
  const std::size_t unit = bytes >= large          ? huge_page
                           : bytes >= detail::page ? detail::page
                                                   : detail::cache_line;
  const std::size_t rounded = detail::round_up(std::max<std::size_t>(bytes, 1), unit);
  void* const begin = std::aligned_alloc(unit, rounded);
#ifdef MADV_HUGEPAGE
  if (begin != nullptr && unit == huge_page) madvise(begin, rounded, MADV_HUGEPAGE);
#endif
  return static_cast<std::byte*>(begin);
}

}  // namespace

const char* to_string(MemoryKind kind) noexcept {
  switch (kind) {
    case MemoryKind::plain: return "plain";
    case MemoryKind::window: return "window";
    case MemoryKind::shared: return "shared";
    case MemoryKind::device: return "device";
  }
  return "?";
}

namespace {
constexpr const char* fewer_arrays =
    "Each array in a window or in shared memory has one of its own, and MPI has room for some "
    "thousand: put several fields into one array, end arrays that are not used any more, or use "
    "plain memory";
}

struct Memory::State {
  MemoryKind kind;
  std::size_t bytes;
  std::string note;
  mpi::Comm comm;  // the window's ranks
  std::byte* data = nullptr;
  std::byte* begin = nullptr;  // of the window, for displacements
  std::unique_ptr<std::byte, Release> plain;
  detail::OwnMapping mapping;     // of the window's memory
  std::vector<std::byte*> bases;  // of every rank of `comm`; shared memory only
  mpi::Window window;
  std::weak_ptr<void> epoch;
  bool in_epoch = false;  // also one that was left in the middle
  Device* device = nullptr;

  State(MemoryKind kind_, std::size_t bytes_) : kind(kind_), bytes(bytes_) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    end_epoch();
    if (device != nullptr) device->free(data);
  }

  std::string who() const { return "memory of kind " + std::string(to_string(kind)); }

  void begin_epoch() {
    if (!in_epoch) HALOCLINE_MPI(MPI_Win_lock_all, MPI_MODE_NOCHECK, window);
    in_epoch = true;
    detail::set_in_epoch(window, true);
  }
  void end_epoch() noexcept {
    if (!in_epoch || mpi::abandoning()) return;
    MPI_Win_unlock_all(window);
    in_epoch = false;
    detail::set_in_epoch(window, false);
  }

  void provide(MPI_Comm ranks, const IslandSpec& islands, SharedParts parts) {
    constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() / 2;
    // Sums of it would overflow.
    mpi::agree(ranks, bytes <= most ? "" : out_of_memory(ranks, bytes));
    detail::make_scarce(who(), fewer_arrays, [&] {
      switch (kind) {
        case MemoryKind::plain: return allocate_plain(ranks);
        case MemoryKind::window: return allocate_window(ranks);
        case MemoryKind::shared: return allocate_shared(ranks, islands, parts);
        case MemoryKind::device: return allocate_device(ranks);
      }
    });
  }

  void allocate_plain(MPI_Comm ranks) {
    kind = MemoryKind::plain;
    // Not calloc: the pages must be first touched here, by their owner.
    plain.reset(allocate(room(bytes)));
    data = plain ? plain.get() + begin_apart(plain.get(), bytes) : nullptr;
    mpi::agree(ranks, data != nullptr ? "" : out_of_memory(ranks, bytes));
    std::memset(data, 0, bytes);
  }

  /// A window over memory that no other rank reaches but by MPI. Returns what is wrong.
  std::string allocate_alone(MPI_Comm ranks, std::size_t rounded) {
    plain.reset(allocate(rounded));
    begin = plain.get();
    return plain ? "" : out_of_memory(ranks, rounded);
  }

  /// MPI ends its windows when it ends, and with them memory that is theirs; but an array stays. So
  /// it lies in a mapping of our own of what ranks of a node share, or else in memory of our own.
  void allocate_window(MPI_Comm ranks) {
    comm = mpi::Comm::duplicate(ranks);
    // MPIs lay the ranks' parts one after the other (and MPICH 4.0's overlap where a part is an odd
    // multiple of 8 bytes).
    const std::size_t rounded = detail::whole_lines(room(bytes));
    const auto make = [&](std::string_view more, const detail::NewWindow& wanted,
                          std::string wrong = {}) {
      window = std::move(
          detail::make_windows(comm, {who(), fewer_arrays, more}, {wanted}, std::move(wrong))
              .front());
    };
    bool stays = false;
    if (mpi::size(comm) > 1) {
      make(detail::more_room, detail::allocated(comm, rounded, 1, &begin));
      stays = mpi::all_of(comm, mapping.map(begin, rounded));
      if (!stays) window = {};
    }
    if (!stays) {
      std::string wrong = allocate_alone(ranks, rounded);
      make({}, detail::created(comm, begin, rounded), std::move(wrong));
    } else {
      begin = mapping.at(begin);
    }
    data = begin + begin_apart(begin, bytes);
    if (bytes > 0) std::memset(data, 0, bytes);
  }

  void allocate_device(MPI_Comm ranks) {
    std::string why;
    try {
      Device& mine = open_device({}, mpi::rank(Islands(ranks).island()));
      data = static_cast<std::byte*>(mine.allocate(std::max<std::size_t>(bytes, 1)));
      device = &mine;
      const DeviceStream stream = mine.make_stream();
      mine.clear(data, bytes, stream);
      mine.wait(stream);
      mine.free_stream(stream);
    } catch (const std::runtime_error& problem) {
      why = "rank " + std::to_string(mpi::rank(ranks)) + ": " + problem.what();
    }
    mpi::agree(ranks, why);
  }

  void allocate_shared(MPI_Comm ranks, const IslandSpec& spec, SharedParts parts) {
    Islands islands(ranks, spec);
    // Every rank's part has pages of its own, so that its owner places them.
    const bool apart = parts == SharedParts::apart, alone = mpi::size(islands.island()) == 1;
    const std::size_t rounded = detail::round_up(apart ? room(bytes) : bytes, detail::page);
    if (const std::string lack = detail::lack_of_shared_room(ranks, alone ? 0 : rounded);
        !lack.empty()) {
      note = lack + std::string(detail::using_plain);
      return allocate_plain(ranks);
    }

    mpi::InParts of_islands(ranks);
    of_islands.make([&] {
      detail::make_scarce(who(), fewer_arrays,
                          [&] { comm = mpi::Comm::duplicate(islands.island()); });
    });
    of_islands.agree();
    const mpi::Info hints{{"alloc_shared_noncontig", apart ? "true" : "false"}};
    const auto allocate = [&](MPI_Win* made) {
      HALOCLINE_MPI(MPI_Win_allocate_shared, static_cast<MPI_Aint>(rounded), 1, hints, comm, &begin,
                    made);
    };
    std::string wrong = alone ? allocate_alone(ranks, rounded) : "";
    window = std::move(detail::make_windows(ranks, {who(), fewer_arrays, {}},
                                            {alone ? detail::created(comm, begin, rounded)
                                                   : detail::NewWindow{comm, rounded, allocate}},
                                            std::move(wrong))
                           .front());
    const std::uint64_t mine = apart ? begin_apart(begin, bytes) : 0;
    if (alone)
      bases = {begin + mine};
    else
      find_parts(mine, apart);
    if (rounded > 0) std::memset(begin, 0, rounded);
    data = begin + mine;
  }

  /// Finds the parts of the island's ranks: rank by rank, so many bytes within its window. Maps
  /// what is to stay when MPI ends: mine alone (`apart`), or the whole where parts are joined.
  void find_parts(std::uint64_t mine, bool apart) {
    const std::vector<std::uint64_t> begins = mpi::of_all(comm, mine);
    std::byte *first = nullptr, *last = nullptr;
    for (int rank = 0; rank < mpi::size(comm); ++rank) {
      MPI_Aint size = 0;
      int unit = 0;
      std::byte* base = nullptr;
      HALOCLINE_MPI(MPI_Win_shared_query, window, rank, &size, &unit, &base);
      bases.push_back(base + begins[static_cast<std::size_t>(rank)]);
      if (size == 0 || (apart && rank != mpi::rank(comm))) continue;
      if (first == nullptr) first = base;
      last = base + size;
    }
    mapping.map(first, static_cast<std::size_t>(last - first));
    begin = mapping.at(begin);
    for (int rank = 0; rank < mpi::size(comm); ++rank)
      if (!apart || rank == mpi::rank(comm)) {
        std::byte*& base = bases[static_cast<std::size_t>(rank)];
        base = mapping.at(base);
      }
  }
};

Memory::Memory(MPI_Comm comm, std::size_t bytes, MemoryKind kind, const IslandSpec& islands,
               SharedParts parts)
    : state_([&] {
        const mpi::Making making(comm);
        auto state = std::make_shared<State>(kind, bytes);
        state->provide(comm, islands, parts);
        const bool alone = state->window.get() == MPI_WIN_NULL;
        return alone ? state : mpi::ended_together(comm, std::move(state));
      }()) {}

std::byte* Memory::data() const noexcept {
  return state_ ? state_->data : nullptr;
}
std::size_t Memory::bytes() const noexcept {
  return state_ ? state_->bytes : 0;
}
MemoryKind Memory::kind() const noexcept {
  return state_ ? state_->kind : MemoryKind::plain;
}
const std::string& Memory::note() const noexcept {
  static const std::string none;
  return state_ ? state_->note : none;
}
MPI_Win Memory::win() const noexcept {
  return state_ ? state_->window.get() : MPI_WIN_NULL;
}
std::byte* Memory::window_begin() const noexcept {
  return state_ ? state_->begin : nullptr;
}
MPI_Comm Memory::comm() const noexcept {
  return state_ ? state_->comm.get() : MPI_COMM_NULL;
}

std::byte* Memory::of_peer(MPI_Comm other, int rank) const {
  if (kind() != MemoryKind::shared) return nullptr;
  const int local = mpi::translate(other, std::span(&rank, 1), state_->comm).front();
  return local == MPI_UNDEFINED ? nullptr : state_->bases[static_cast<std::size_t>(local)];
}

std::shared_ptr<void> Memory::passive_epoch() const {
  if (auto held = state_->epoch.lock()) return held;
  state_->begin_epoch();
  const std::shared_ptr<void> opened(state_.get(),
                                     [](void* state) { static_cast<State*>(state)->end_epoch(); });
  state_->epoch = opened;
  return opened;
}

}  // namespace halocline
