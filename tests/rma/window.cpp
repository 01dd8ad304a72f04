#include "window.hpp"

#include "operations.hpp"
#include "settings.hpp"
#include "watch.hpp"

#include <sched.h>
#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

namespace emulated {

namespace {

constexpr std::size_t nothing = std::numeric_limits<std::size_t>::max();
constexpr std::uint32_t under_way = std::numeric_limits<std::uint32_t>::max();

std::size_t room_for_copies(std::size_t capacity) {
  return (capacity + alignof(Marks) - 1) / alignof(Marks) * alignof(Marks);
}

std::size_t bytes_of(const Window::Kind& kind) {
  return sizeof(Face) + room_for_copies(kind.capacity) + kind.capacity * sizeof(Marks);
}

}  // namespace

Alone::Alone(Face& face) : face_(face) {
  while (face_.taken.exchange(true)) sched_yield();
}

std::map<MPI_Win, std::unique_ptr<Window>>& windows() {
  static auto& all = *new std::map<MPI_Win, std::unique_ptr<Window>>;
  return all;
}

void speak() {
  for (const auto& [handle, window] : windows()) window->speak();
}

void listen() {
  for (const auto& [handle, window] : windows()) window->listen();
}

Window::Window(MPI_Win window, MPI_Comm comm, const Kind& kind)
    : kind_(kind), shared_(comm, bytes_of(kind)) {
  PMPI_Win_get_group(window, &group_);
  PMPI_Comm_rank(comm, &rank_);
  PMPI_Comm_size(comm, &ranks_);
  mine_ = static_cast<std::uint8_t>(rank_ + 1);
  heard_.resize(static_cast<std::size_t>(ranks_));
  if (ranks_ > most_ranks) end("settings", "more than 32 ranks in a window");
  Face& face = *new (shared_.of(rank_)) Face{};
  face.capacity = kind.capacity;
  face.unit = kind.unit;
  face.dynamic = kind.dynamic;
  face.low = nothing;
  PMPI_Barrier(comm);
}

Window::~Window() {
  PMPI_Group_free(&group_);
}

void Window::attach(void* memory, std::size_t bytes) {
  Face& face = mine();
  const int number = face.regions;
  if (taken_ + bytes > kind_.capacity || number == most_regions)
    end("settings", "more memory attached to a window than this emulation has room for");
  auto* const begin = static_cast<std::byte*>(memory);
  std::memcpy(public_copy(rank_, taken_), begin, bytes);
  exposed_.push_back({begin, {begin, begin + bytes}, taken_});
  face.region[number] = {reinterpret_cast<std::uintptr_t>(memory), bytes, taken_};
  face.regions = number + 1;
  taken_ += bytes;
}

void Window::detach(const void* memory) {
  Face& face = mine();
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  for (int i = 0; i < face.regions; ++i)
    if (face.region[i].address == address) face.region[i].bytes = 0;
  std::erase_if(exposed_, [&](const Exposed& one) { return one.memory == memory; });
}

bool Window::stored() const {
  return std::any_of(exposed_.begin(), exposed_.end(), [](const Exposed& one) {
    return std::memcmp(one.memory, one.common.data(), one.common.size()) != 0;
  });
}

void Window::merge(bool publishes, bool adopts, const char* call) {
  Face& face = mine();
  const Alone guard(face);
  for (Exposed& one : exposed_) {
    const std::size_t bytes = one.common.size();
    const bool stored = std::memcmp(one.memory, one.common.data(), bytes) != 0;
    const std::size_t low = std::clamp(face.low, one.place, one.place + bytes) - one.place;
    const std::size_t high = std::clamp(face.high, one.place, one.place + bytes) - one.place;
    std::byte* const common = one.common.data();
    std::byte* const window = public_copy(rank_, one.place);
    Marks* const marked = marks(rank_, one.place);
    if (stored)
      for (std::size_t i = low; i < high; ++i)
        if (marked[i].changed.news && (separate() || one.memory[i] != common[i]))
          end("race", std::string(call) + ": byte " + std::to_string(i) +
                          (one.memory[i] != common[i] ? " of a window was stored by its owner and "
                                                      : " of a window, which its owner stored to, "
                                                        "was ") +
                          "changed by rank " + std::to_string(marked[i].changed.rank - 1) +
                          " of the window, with nothing between that orders the two");
    if (publishes && stored)
      for (std::size_t i = 0; i < bytes; ++i)
        if (one.memory[i] != common[i]) {
          window[i] = common[i] = one.memory[i];
          must_be_ordered(marked[i].changed, "changed", rank_, one.place + i, call);
          must_be_ordered(marked[i].read, "read", rank_, one.place + i, call);
          marked[i].changed = {time(), mine_, 0, 0, false};
        }
    if (!adopts) continue;
    for (std::size_t i = low; i < high; ++i)
      if (std::exchange(marked[i].changed.news, false)) one.memory[i] = common[i] = window[i];
  }
  if (!adopts || face.high == 0) return;
  face.low = nothing, face.high = 0;
  emulated::listen();  // what has come may be a flag
}

std::size_t Window::place(int target, MPI_Aint displacement, const std::vector<Run>& runs,
                          const char* call) {
  const Face& theirs = face(target);
  const std::uintptr_t begin =
      theirs.dynamic ? static_cast<std::uintptr_t>(displacement)
                     : theirs.region[0].address + static_cast<std::uintptr_t>(displacement) *
                                                      static_cast<std::uintptr_t>(theirs.unit);
  std::ptrdiff_t first = 0, last = 0;
  if (!runs.empty()) first = std::numeric_limits<std::ptrdiff_t>::max(), last = -first;
  for (const Run& run : runs) {
    first = std::min(first, run.offset);
    last = std::max(last, run.offset + static_cast<std::ptrdiff_t>(run.bytes));
  }
  for (int i = 0; i < theirs.regions; ++i) {
    const Face::Region& region = theirs.region[i];
    if (begin + static_cast<std::uintptr_t>(first) >= region.address &&
        begin + static_cast<std::uintptr_t>(last) <= region.address + region.bytes)
      return region.place + (begin - region.address);
  }
  end("illegal", std::string(call) + " to rank " + std::to_string(target) +
                     " of a window reaches beyond what that rank exposes");
}

std::byte* Window::public_copy(int target, std::size_t place) {
  return shared_.of(target) + sizeof(Face) + place;
}

Marks* Window::marks(int target, std::size_t place) {
  return reinterpret_cast<Marks*>(public_copy(target, room_for_copies(face(target).capacity))) +
         place;
}

bool Window::ordered(const Mark& before) const {
  return before.rank == 0 || before.rank == mine_ ||
         (before.time != under_way && before.time < heard_[before.rank - 1U]);
}

void Window::must_be_ordered(const Mark& before, const char* did, int target, std::size_t place,
                             const char* call) {
  if (!ordered(before))
    end("race", std::string(call) + ": byte " + std::to_string(place) + " at rank " +
                    std::to_string(target) + " of a window was " + did + " by rank " +
                    std::to_string(before.rank - 1) +
                    ", too, with nothing between that orders the two");
}

void Window::mark(int target, std::size_t place, std::size_t bytes, const Access& access,
                  const char* call) {
  Face& theirs = face(target);
  Marks* const all = marks(target, place);
  for (std::size_t i = 0; i < bytes; ++i) {
    const auto digit = static_cast<std::uint8_t>(i % access.number_bytes);
    const auto apart = [&](const Mark& one) {
      return access.number == 0 || one.number != access.number || one.digit != digit;
    };
    if (apart(all[i].changed)) must_be_ordered(all[i].changed, "changed", target, place + i, call);
    if (access.writes && apart(all[i].read))
      must_be_ordered(all[i].read, "read", target, place + i, call);
    (access.writes ? all[i].changed : all[i].read) = {under_way, mine_, access.number, digit,
                                                      access.writes};
  }
  if (!access.writes) return;
  theirs.low = std::min(theirs.low, place);
  theirs.high = std::max(theirs.high, place + bytes);
}

void Window::completed(int target, const std::vector<Run>& runs, const Access& access) {
  const Alone guard(face(target));
  for (const Run& run : runs) {
    Marks* const all = marks(target, static_cast<std::size_t>(run.offset));
    for (std::size_t i = 0; i < run.bytes; ++i) {
      Mark& mark = access.writes ? all[i].changed : all[i].read;
      if (mark.rank == mine_ && mark.time == under_way) mark.time = time();
    }
  }
}

void Window::listen() {
  for (int rank = 0; rank < ranks_; ++rank) listen(rank, face(rank).spoken);
}

void Window::listen(int rank, std::uint32_t time) {
  std::uint32_t& heard = heard_[static_cast<std::size_t>(rank)];
  heard = std::max(heard, time);
}

void Window::listen_through(int rank, std::uint32_t time) {
  if (time == 0) return;  // it has told nothing
  for (int other = 0; other < ranks_; ++other)
    listen(other, other == rank ? time : face(other).spoken.load());
}

void Window::acquire(int target, bool exclusive) {
  Face& theirs = face(target);
  for (;;) {
    int seen = theirs.holders;
    if ((exclusive ? seen == 0 : seen >= 0) &&
        theirs.holders.compare_exchange_strong(seen, exclusive ? -1 : seen + 1))
      break;
    wait_a_little();
  }
  for (int rank = 0; rank < ranks_; ++rank) {
    listen_through(rank, theirs.released[1][rank]);
    if (exclusive) listen_through(rank, theirs.released[0][rank]);
  }
}

void Window::release(int target, bool exclusive) {
  Face& theirs = face(target);
  theirs.released[exclusive ? 1 : 0][rank_] = time();
  theirs.holders += exclusive ? 1 : -1;
  done();
}

std::vector<int> Window::ranks_of(MPI_Group group) const {
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> all(static_cast<std::size_t>(size)), here(all.size());
  for (int i = 0; i < size; ++i) all[static_cast<std::size_t>(i)] = i;
  PMPI_Group_translate_ranks(group, size, all.data(), group_, here.data());
  return here;
}

}  // namespace emulated
