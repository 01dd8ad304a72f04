// What the C++ library does, for the Fortran tests to compare with.

#include <halocline/halocline.hpp>

#include <cstddef>
#include <cstdint>

using namespace halocline;

/// One step of moves between elements at `data`: `moves` times the rank that sends, the one that
/// receives, and the number of the element on either side, from 0 on.
extern "C" void exchange_by_cpp(const int* move, int moves, void* data, std::int64_t element_bytes,
                                std::int64_t elements) {
  const int rank = mpi::rank(MPI_COMM_WORLD);
  Pattern pattern;
  for (const int* one = move; one != move + 4 * moves; one += 4) {
    const int from = one[0], to = one[1];
    const Block sent{.offset = one[2]}, received{.offset = one[3]};
    if (from == rank && to == rank)
      pattern.copy(sent, received);
    else if (from == rank)
      pattern.send(to, sent);
    else if (to == rank)
      pattern.receive(from, received);
  }
  Field all = field(static_cast<std::byte*>(data), static_cast<std::size_t>(elements));
  all.element_bytes = static_cast<std::size_t>(element_bytes);
  Exchange(MPI_COMM_WORLD, pattern, all, "p2p:nonblocking").run();
}
