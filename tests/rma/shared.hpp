#pragma once
// Memory of each rank that all of them map. All ranks are on one machine. It has no name in the
// file system, so nothing is left behind by a job that ends early.

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

namespace emulated {

class Shared {
 public:
  /// Zeroed bytes of mine. Collective; other ranks may have other numbers of bytes.
  Shared(MPI_Comm comm, std::size_t bytes);
  ~Shared();
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  /// Where a rank's bytes are in my address space.
  std::byte* of(int rank) const { return parts_[static_cast<std::size_t>(rank)].data(); }

 private:
  std::vector<std::span<std::byte>> parts_;
};

}  // namespace emulated
