#include <halocline/arena.hpp>

#include "memory/cache_line.hpp"

#include <halocline/error.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>
#include <string>

namespace halocline {

struct Arena::State {
  Memory memory;
  mutable std::mutex mutex;
  std::map<std::byte*, std::size_t> free, used;  // pieces of whole cache lines
};

Arena::Arena(MPI_Comm comm, std::size_t bytes, const Scheme& scheme)
    : state_(std::make_shared<State>()) {
  constexpr std::size_t line = detail::cache_line;
  // Memory of other kinds than plain is aligned for numbers alone.
  state_->memory = memory_for(comm, detail::whole_lines(bytes) + line, scheme);
  void* begin = state_->memory.data();
  std::size_t room = state_->memory.bytes();
  std::align(line, detail::whole_lines(bytes), begin, room);
  if (bytes > 0) state_->free.emplace(static_cast<std::byte*>(begin), room / line * line);
}

void* Arena::allocate(std::size_t bytes) const {
  const std::size_t size = detail::whole_lines(std::max<std::size_t>(bytes, 1));
  const std::lock_guard lock(state_->mutex);
  const auto piece = std::ranges::find_if(
      state_->free, [&](const auto& one) { return one.second >= size && size >= bytes; });
  if (piece == state_->free.end()) {
    std::size_t most = 0;
    for (const auto& [begin, free] : state_->free) most = std::max(most, free);
    throw Error("arena: " + std::to_string(bytes) + " bytes do not fit in one piece; of " +
                std::to_string(state_->memory.bytes()) + " bytes the largest that is free has " +
                std::to_string(most) + "; make the arena larger");
  }
  const auto [begin, free] = *piece;
  state_->free.erase(piece);
  if (free > size) state_->free.emplace(begin + size, free - size);
  state_->used.emplace(begin, size);
  return begin;
}

void Arena::deallocate(void* begin) const noexcept {
  const std::lock_guard lock(state_->mutex);
  auto piece = state_->free.insert(state_->used.extract(static_cast<std::byte*>(begin))).position;
  const auto join = [&](auto low, auto high) {
    if (low->first + low->second != high->first) return;
    low->second += high->second;
    state_->free.erase(high);
  };
  if (const auto next = std::next(piece); next != state_->free.end()) join(piece, next);
  if (piece != state_->free.begin()) join(std::prev(piece), piece);
}

const Memory& Arena::memory() const noexcept {
  return state_->memory;
}

std::size_t Arena::bytes_free() const {
  const std::lock_guard lock(state_->mutex);
  return std::accumulate(state_->free.begin(), state_->free.end(), std::size_t{0},
                         [](std::size_t sum, const auto& piece) { return sum + piece.second; });
}

}  // namespace halocline
