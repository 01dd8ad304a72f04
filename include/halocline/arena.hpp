#pragma once
// Arenas: memory that a scheme works best on, for containers that allocate by themselves.

#include <halocline/array.hpp>

#include <cstddef>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace halocline {

/// A fixed number of bytes in the memory of a scheme, that this rank gives its containers from:
///
///     Arena arena(comm, 1 << 26, scheme);
///     std::vector<double, ArenaAllocator<double>> x(n, arena);
///     Exchange exchange(comm, pattern, field(x), scheme);
///
/// Only to make the arena is collective. It lives as long as the last of its copies, its containers
/// and the exchanges of their fields. To allocate is local, so containers may grow on one rank
/// alone. Several threads may allocate at the same time.
class Arena {
 public:
  /// `bytes` of this rank; the ranks of `comm` may ask for different numbers. Throws as Memory.
  Arena(MPI_Comm comm, std::size_t bytes, const Scheme& scheme = {});

  /// Begins a cache line. Throws Error if there is no room for so many bytes in one piece.
  void* allocate(std::size_t bytes) const;
  /// Null does nothing. Throws Error if no piece of the arena begins there, or none does any more.
  void deallocate(void* begin) const;

  const Memory& memory() const noexcept;
  std::size_t bytes_free() const;  ///< in all pieces together
  bool operator==(const Arena&) const = default;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Allocates from an arena. Containers that are swapped or assigned take it with them.
template <class T>
class ArenaAllocator {
 public:
  using value_type = T;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  ArenaAllocator(Arena arena) noexcept : arena_(std::move(arena)) {}
  template <class U>
  ArenaAllocator(const ArenaAllocator<U>& other) noexcept : arena_(other.arena()) {}

  T* allocate(std::size_t elements) const {
    return static_cast<T*>(arena_.allocate(elements * sizeof(T)));
  }
  void deallocate(T* begin, std::size_t) const noexcept { arena_.deallocate(begin); }

  const Arena& arena() const noexcept { return arena_; }
  template <class U>
  bool operator==(const ArenaAllocator<U>& other) const noexcept {
    return arena_ == other.arena();
  }

 private:
  Arena arena_;
};

/// The elements that the vector has now. When it grows it moves: give the exchange its field again.
template <class T>
Field field(std::vector<T, ArenaAllocator<T>>& elements) {
  Field all = field(elements.data(), elements.size());
  all.memory = elements.get_allocator().arena().memory();
  return all;
}

}  // namespace halocline

#pragma GCC visibility pop
