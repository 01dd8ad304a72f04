#include <halocline/memory.hpp>
#include <halocline/more/islands.hpp>

#include "base/text.hpp"
#include "cache_line.hpp"
#include "mpi/collectives.hpp"
#include "mpi/scarce.hpp"
#include "mpi/windows.hpp"
#include "shared_room.hpp"

#include <halocline/more/device.hpp>

#include <sys/mman.h>
#include <sys/statvfs.h>
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

std::string in_gib(double bytes) {
  return base::formatted("%.3g GiB", bytes / (1024.0 * 1024 * 1024));
}

std::string host() {
  char name[MPI_MAX_PROCESSOR_NAME];
  int length = 0;
  HALOCLINE_MPI(MPI_Get_processor_name, name, &length);
  return std::string(name, static_cast<std::size_t>(length));
}

std::string out_of_memory(MPI_Comm comm, std::size_t bytes) {
  return "out of memory: rank " + std::to_string(mpi::rank(comm)) + " on " + host() + " needs " +
         in_gib(static_cast<double>(bytes));
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

/// Bytes of /dev/shm that may be taken. MPI needs some for itself.
double shared_room() {
  struct statvfs facts {};
  if (statvfs("/dev/shm", &facts) != 0) return 1e18;  // unknown: let MPI try
  return 0.95 * static_cast<double>(facts.f_bavail) * static_cast<double>(facts.f_frsize);
}

}  // namespace

// ---- shared memory that is short ---------------------------------------------------------------

namespace detail {

std::string lack_of_shared_room(MPI_Comm comm, std::size_t bytes) {
  // Mostly there is plenty, wherever the ranks are.
  const auto least = mpi::agree(
      comm, "", {-static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(shared_room())});
  if (-static_cast<double>(least[0]) * mpi::size(comm) <= static_cast<double>(least[1])) return {};

  const Islands nodes(comm);
  const double needed = mpi::reduced(nodes.island(), static_cast<double>(bytes), MPI_SUM);
  const double there = shared_room();
  const bool fits = mpi::all_of(nodes.island(), needed <= there);
  if (mpi::all_of(comm, fits)) return {};
  if (fits) return "shared memory is short on another node";
  return "shared memory on " + host() + " is short: " + in_gib(needed) + " needed, " +
         in_gib(there) + " free in /dev/shm";
}

void allocate_window(const std::string& who, MPI_Comm comm, std::size_t bytes, int unit,
                     MPI_Info hints, void* base, MPI_Win* window, std::string_view way_on) {
  const std::string lack = lack_of_shared_room(comm, bytes);
  mpi::agree(comm, lack.empty() ? "" : who + ": " + lack + "; " + std::string(way_on));
  HALOCLINE_MPI(MPI_Win_allocate, static_cast<MPI_Aint>(bytes), unit, hints, comm, base, window);
}

}  // namespace detail

const char* to_string(MemoryKind kind) noexcept {
  switch (kind) {
    case MemoryKind::plain: return "plain";
    case MemoryKind::window: return "window";
    case MemoryKind::shared: return "shared";
    case MemoryKind::device: return "device";
  }
  return "?";
}

struct Memory::State {
  MemoryKind kind = MemoryKind::plain;
  std::size_t bytes = 0;
  std::string note;
  mpi::Comm comm;  // the window's ranks
  std::byte* data = nullptr;
  std::unique_ptr<std::byte, Release> plain;
  std::vector<std::byte*> bases;  // of every rank of `comm`; shared memory only
  mpi::Window window;
  std::weak_ptr<void> epoch;
  bool in_epoch = false;  // also one that was left in the middle
  Device* device = nullptr;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    end_epoch();
    if (device != nullptr) device->free(data);
  }

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

  void allocate_plain(MPI_Comm ranks) {
    kind = MemoryKind::plain;
    // Not calloc: the pages must be first touched here, by their owner.
    plain.reset(allocate(room(bytes)));
    data = plain ? plain.get() + begin_apart(plain.get(), bytes) : nullptr;
    mpi::agree(ranks, data != nullptr ? "" : out_of_memory(ranks, bytes));
    std::memset(data, 0, bytes);
  }

  void allocate_window(MPI_Comm ranks) {
    kind = MemoryKind::window;
    comm = mpi::Comm::duplicate(ranks);
    // MPIs lay the ranks' parts one after the other (and MPICH 4.0's overlap where a part is an odd
    // multiple of 8 bytes).
    const std::size_t rounded = detail::whole_lines(room(bytes));
    detail::look_for_place(comm);
    detail::allocate_window("memory of kind window", comm, rounded, 1, MPI_INFO_NULL, &data,
                            window.address());
    detail::end_with_mpi(window, comm);
    data += begin_apart(data, bytes);
    if (bytes > 0) std::memset(data, 0, bytes);
  }

  void allocate_device(MPI_Comm ranks) {
    kind = MemoryKind::device;
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
    kind = MemoryKind::shared;
    Islands islands(ranks, spec);
    // Every rank's part has pages of its own, so that its owner places them.
    const bool apart = parts == SharedParts::apart;
    const std::size_t rounded = detail::round_up(apart ? room(bytes) : bytes, detail::page);
    if (const std::string lack = detail::lack_of_shared_room(ranks, rounded); !lack.empty()) {
      note = lack + std::string(detail::using_plain);
      return allocate_plain(ranks);
    }

    comm = mpi::Comm::duplicate(islands.island());
    const mpi::Info hints{{"alloc_shared_noncontig", apart ? "true" : "false"}};
    detail::look_for_place(comm);
    HALOCLINE_MPI(MPI_Win_allocate_shared, static_cast<MPI_Aint>(rounded), 1, hints, comm, &data,
                  window.address());
    detail::end_with_mpi(window, comm);
    const std::uint64_t mine = apart ? begin_apart(data, bytes) : 0;
    const std::vector<std::uint64_t> begins = mpi::of_all(comm, mine);
    for (int rank = 0; rank < mpi::size(comm); ++rank) {
      MPI_Aint size = 0;
      int unit = 0;
      std::byte* base = nullptr;
      HALOCLINE_MPI(MPI_Win_shared_query, window, rank, &size, &unit, &base);
      bases.push_back(base + begins[static_cast<std::size_t>(rank)]);
    }
    if (rounded > 0) std::memset(data, 0, rounded);
    data += mine;
  }
};

Memory::Memory(MPI_Comm comm, std::size_t bytes, MemoryKind kind, const IslandSpec& islands,
               SharedParts parts)
    : state_(std::make_shared<State>()) {
  constexpr std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() / 2;
  mpi::agree(comm, bytes <= most ? "" : out_of_memory(comm, bytes));  // sums of it would overflow
  state_->bytes = bytes;
  const char* const remedy =
      "Each array in a window or in shared memory has one of its own, and MPI has room for some "
      "thousand: put several fields into one array, end arrays that are not used any more, or use "
      "plain memory";
  detail::make_scarce("memory of kind " + std::string(to_string(kind)), remedy, [&] {
    if (kind == MemoryKind::plain) state_->allocate_plain(comm);
    if (kind == MemoryKind::window) state_->allocate_window(comm);
    if (kind == MemoryKind::device) state_->allocate_device(comm);
    if (kind == MemoryKind::shared) state_->allocate_shared(comm, islands, parts);
  });
}

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
