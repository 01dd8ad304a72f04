#include "window.hpp"

#include "settings.hpp"
#include "watch.hpp"

#include <sched.h>
#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

namespace emulated {

namespace {

constexpr std::size_t nothing = std::numeric_limits<std::size_t>::max();
constexpr std::uint8_t accumulated_by = 0x80;  // in a mark, beside one more than the rank

std::size_t bytes_of(const Window::Kind& kind) {
  return sizeof(Face) + 2 * kind.capacity;
}

int origin_of(std::uint8_t mark) {
  return (mark & ~accumulated_by) - 1;
}

}  // namespace

Alone::Alone(Face& face) : face_(face) {
  while (face_.taken.exchange(true)) sched_yield();
}

std::map<MPI_Win, std::unique_ptr<Window>>& windows() {
  static auto& all = *new std::map<MPI_Win, std::unique_ptr<Window>>;
  return all;
}

Window::Window(MPI_Win window, MPI_Comm comm, const Kind& kind)
    : kind_(kind), shared_(comm, bytes_of(kind)) {
  PMPI_Win_get_group(window, &group_);
  PMPI_Comm_rank(comm, &rank_);
  PMPI_Comm_size(comm, &ranks_);
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
    std::uint8_t* const changed = marks(rank_, one.place);
    if (stored)
      for (std::size_t i = low; i < high; ++i)
        if (changed[i] != 0 && (separate() || one.memory[i] != common[i]))
          end("race", std::string(call) + ": byte " + std::to_string(i) +
                          (one.memory[i] != common[i] ? " of a window was stored by its owner and "
                                                      : " of a window, which its owner stored to, "
                                                        "was ") +
                          "changed by rank " + std::to_string(origin_of(changed[i])) +
                          " of the window, with nothing between that orders the two");
    if (publishes && stored)
      for (std::size_t i = 0; i < bytes; ++i)
        if (one.memory[i] != common[i]) window[i] = common[i] = one.memory[i];
    if (!adopts) continue;
    for (std::size_t i = low; i < high; ++i)
      if (changed[i] != 0) {
        one.memory[i] = common[i] = window[i];
        changed[i] = 0;
      }
  }
  if (adopts) face.low = nothing, face.high = 0;
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

std::uint8_t* Window::marks(int target, std::size_t place) {
  return reinterpret_cast<std::uint8_t*>(public_copy(target, face(target).capacity + place));
}

void Window::mark(int target, std::size_t place, std::size_t bytes, bool accumulated,
                  const char* call) {
  Face& theirs = face(target);
  std::uint8_t* const all = marks(target, place);
  const auto mine = static_cast<std::uint8_t>(rank_ + 1);
  for (std::size_t i = 0; i < bytes; ++i) {
    const bool both_accumulate = accumulated && (all[i] & accumulated_by) != 0;
    if (all[i] != 0 && origin_of(all[i]) != rank_ && !both_accumulate)
      end("race", std::string(call) + ": byte " + std::to_string(place + i) + " at rank " +
                      std::to_string(target) + " of a window was changed by rank " +
                      std::to_string(origin_of(all[i])) +
                      ", too, with nothing between that orders "
                      "the two");
    all[i] = accumulated ? mine | accumulated_by : mine;
  }
  theirs.low = std::min(theirs.low, place);
  theirs.high = std::max(theirs.high, place + bytes);
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
