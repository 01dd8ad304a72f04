#include "in_order.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace md {

using namespace halocline;

// Every rank has a cursor in its own particles, sorted. In each round it offers the number that its
// piece would end before; the least of these is where all pieces end, so what reaches rank 0 has no
// gap, and at least one rank gets rid of a whole piece.
void in_order(MPI_Comm comm, std::span<const Particle> mine,
              const std::function<void(std::span<const Particle>)>& act) {
  constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  std::vector<Particle> sorted(mine.begin(), mine.end());
  std::ranges::sort(sorted, {}, &Particle::id);
  const auto ranks = static_cast<std::size_t>(mpi::size(comm));
  const bool root = mpi::rank(comm) == 0;
  const std::size_t piece = std::max<std::size_t>(64, 65536 / ranks);

  std::vector<int> bytes(root ? ranks : 0), offsets(bytes.size());
  std::vector<Particle> all;
  for (std::size_t begin = 0;;) {
    std::int64_t bound = begin + piece < sorted.size() ? sorted[begin + piece].id : never;
    HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &bound, 1, MPI_INT64_T, MPI_MIN, comm);
    std::size_t end = begin;
    while (end < sorted.size() && (sorted[end].id < bound || bound == never)) ++end;
    const int size = static_cast<int>((end - begin) * sizeof(Particle));
    HALOCLINE_MPI(MPI_Gather, &size, 1, MPI_INT, bytes.data(), 1, MPI_INT, 0, comm);
    for (std::size_t r = 1; r < bytes.size(); ++r) offsets[r] = offsets[r - 1] + bytes[r - 1];
    if (root)
      all.resize(static_cast<std::size_t>(offsets.back() + bytes.back()) / sizeof(Particle));
    HALOCLINE_MPI(MPI_Gatherv, sorted.data() + begin, size, MPI_BYTE, all.data(), bytes.data(),
                  offsets.data(), MPI_BYTE, 0, comm);
    mpi::together(comm, [&] {
      if (!root) return;
      std::ranges::sort(all, {}, &Particle::id);
      act(all);
    });
    if (bound == never) return;
    begin = end;
  }
}

std::int64_t count_of(MPI_Comm comm, std::span<const Particle> mine) {
  auto count = static_cast<std::int64_t>(mine.size());
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &count, 1, MPI_INT64_T, MPI_SUM, comm);
  return count;
}

}  // namespace md
