#include <halocline/arena.hpp>

#include "free_list.hpp"
#include "memory/cache_line.hpp"

#include <halocline/error.hpp>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace halocline {

struct Arena::State {
  using Place = detail::FreeList::Place;
  Memory memory;
  std::byte* begin = nullptr;
  mutable std::mutex mutex;
  detail::FreeList free;                       // bytes from `begin` on, whole cache lines
  std::unordered_map<std::byte*, Place> used;  // sizes of what has been given
};

Arena::Arena(MPI_Comm comm, std::size_t bytes, const Scheme& scheme)
    : state_(std::make_shared<State>()) {
  constexpr std::size_t line = detail::cache_line;
  // Memory of other kinds than plain is aligned for numbers alone.
  state_->memory = memory_for(comm, detail::whole_lines(bytes) + line, scheme);
  void* begin = state_->memory.data();
  std::size_t room = state_->memory.bytes();
  std::align(line, detail::whole_lines(bytes), begin, room);
  state_->begin = static_cast<std::byte*>(begin);
  if (bytes > 0) state_->free.give_back(0, static_cast<State::Place>(room / line * line));
}

void* Arena::allocate(std::size_t bytes) const {
  const std::lock_guard lock(state_->mutex);
  // More than there is at all may be more than can be counted.
  std::optional<State::Place> place;
  const auto size = static_cast<State::Place>(detail::whole_lines(std::max<std::size_t>(bytes, 1)));
  if (bytes <= state_->memory.bytes()) place = state_->free.take(size);
  if (!place)
    throw Error("arena: " + std::to_string(bytes) + " bytes do not fit in one piece; of " +
                std::to_string(state_->memory.bytes()) + " bytes the largest that is free has " +
                std::to_string(state_->free.longest()) + "; make the arena larger");
  std::byte* const begin = state_->begin + *place;
  state_->used.emplace(begin, size);
  return begin;
}

void Arena::deallocate(void* begin) const {
  if (begin == nullptr) return;
  const std::lock_guard lock(state_->mutex);
  const auto piece = state_->used.extract(static_cast<std::byte*>(begin));
  if (piece.empty())
    throw Error(
        "arena: nothing that it has given begins there, or it has been given back already; give "
        "back each piece once, by where it begins");
  state_->free.give_back(piece.key() - state_->begin, piece.mapped());
}

const Memory& Arena::memory() const noexcept {
  return state_->memory;
}

std::size_t Arena::bytes_free() const {
  const std::lock_guard lock(state_->mutex);
  return static_cast<std::size_t>(state_->free.all());
}

}  // namespace halocline
