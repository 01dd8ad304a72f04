#include "shared_pool.hpp"

#include "memory/cache_line.hpp"
#include "memory/shared_room.hpp"
#include "mpi/collectives.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace halocline::detail {

Memory shared_memory(MPI_Comm comm, std::size_t bytes, const Scheme& scheme) {
  Memory memory(comm, bytes, MemoryKind::shared, scheme.islands());
  const std::string& note = memory.note();
  mpi::agree(comm, memory.kind() == MemoryKind::shared
                       ? ""
                       : scheme.str() + ": " + note.substr(0, note.find(using_plain)) + "; " +
                             std::string(more_room));
  // Nobody may look before its owner has zeroed it.
  mpi::barrier(memory.comm());
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return memory;
}

SharedPool::Part::~Part() {
  // A rank that breaks off may leave peers behind that still read here.
  if (pool_ != nullptr && !abandoning())
    pool_->free_.give_back(place_, static_cast<Place>(round_up(bytes_, line_pair)));
}

SharedPool::Part SharedPool::take(std::size_t bytes, const Scheme& scheme) {
  const auto size = static_cast<Place>(round_up(bytes, line_pair));
  std::optional<Place> place;
  if (size > 0) place = free_.take(size);
  const Place lacking = place ? 0 : size;
  const Place most = -mpi::agree(comm_, "", {-lacking}).front();
  if (most > 0) grow(static_cast<std::size_t>(most), scheme);
  if (lacking > 0) place = free_.take(size);
  if (!place) return {};
  std::memset(mine(*place), 0, bytes);
  HALOCLINE_MPI(MPI_Win_sync, window(*place));
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return {*this, *place, bytes};
}

const SharedPool::Piece& SharedPool::piece(Place place) const {
  return *std::prev(
      std::upper_bound(pieces_.begin(), pieces_.end(), place,
                       [](Place wanted, const Piece& one) { return wanted < one.begin; }));
}

std::byte* SharedPool::at(int rank, Place place) const {
  const Piece& found = piece(place);
  return found.memory.of_peer(comm_, rank) + (place - found.begin);
}

/// By a piece with room for `bytes`. Pieces that nobody uses go, so that a few large exchanges do
/// not keep their memory for ever.
void SharedPool::grow(std::size_t bytes, const Scheme& scheme) {
  constexpr std::size_t least = 1 << 20, most = 64 << 20;
  std::vector<std::int64_t> unused;
  for (const Piece& one : pieces_) unused.push_back(free_.is_all(one.begin, one.size) ? 1 : 0);
  unused = mpi::agree(comm_, "", std::move(unused));
  std::size_t all = 0;
  for (std::size_t i = pieces_.size(); i-- > 0;) {
    if (unused[i] == 0) {
      all += static_cast<std::size_t>(pieces_[i].size);
      continue;
    }
    free_.remove(pieces_[i].begin);
    pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  const std::size_t needed = round_up(bytes, page);
  const std::size_t wanted = std::max(needed, std::clamp(all, least, most));
  Memory memory(comm_, wanted, MemoryKind::shared, scheme.islands());
  if (memory.kind() == MemoryKind::shared)
    mpi::barrier(memory.comm());  // it is zeroed everywhere
  else
    memory = shared_memory(comm_, needed, scheme);
  const auto size = static_cast<Place>(memory.bytes());
  pieces_.push_back({end_, size, memory, memory.passive_epoch()});
  free_.give_back(end_, size);
  end_ += size + 1;  // pieces never touch
}

}  // namespace halocline::detail
