#pragma once
// Shared memory of islands in large pieces, out of which exchanges get theirs: windows are as few
// as communicators.

#include "free_list.hpp"
#include "method.hpp"

namespace halocline::detail {

/// Shared memory of the ranks' islands, zeroed. Collective; throws Error naming the scheme if there
/// is none.
Memory shared_memory(MPI_Comm comm, std::size_t bytes, const Scheme& scheme);

/// The part of a rank is its own to give away. Peers find a place in it by its number.
class SharedPool {
 public:
  using Place = FreeList::Place;
  explicit SharedPool(MPI_Comm comm) : comm_(comm) {}

  /// Some bytes of mine, until the end of this object.
  class Part {
   public:
    Part() = default;
    Part(SharedPool& pool, Place place, std::size_t bytes)
        : pool_(&pool), place_(place), bytes_(bytes) {}
    Part(Part&& other) noexcept { *this = std::move(other); }
    Part& operator=(Part&& other) noexcept {
      std::swap(pool_, other.pool_);
      std::swap(place_, other.place_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Part();
    Place place() const noexcept { return place_; }

   private:
    SharedPool* pool_ = nullptr;
    Place place_ = 0;
    std::size_t bytes_ = 0;
  };

  /// `bytes` of mine, zeroed, beginning a pair of cache lines. Collective, and all ranks must have
  /// met since I gave back what I get here: a peer may have been reading it. Throws Error naming
  /// the scheme if there is no shared memory left.
  Part take(std::size_t bytes, const Scheme& scheme);
  /// In my address space, of a rank in my island.
  std::byte* at(int rank, Place place) const;
  std::byte* mine(Place place) const { return at(mpi::rank(comm_), place); }
  MPI_Win window(Place place) const { return piece(place).memory.win(); }

 private:
  struct Piece {
    Place begin, size;
    Memory memory;
    std::shared_ptr<void> epoch;  // in which MPI_Win_sync is allowed
  };
  const Piece& piece(Place place) const;
  void grow(std::size_t bytes, const Scheme& scheme);

  MPI_Comm comm_;
  std::vector<Piece> pieces_;  // by their beginnings; the same on all ranks
  Place end_ = 0;
  FreeList free_;  // of my part
};

}  // namespace halocline::detail
