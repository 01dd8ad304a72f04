#pragma once
// OpenSHMEM beside MPI in one program: whether it can be, its beginning and its end.

#include <halocline/more/mpi.hpp>

#include <cstddef>
#include <string>

namespace halocline::detail {

/// Why there is no OpenSHMEM here, and what would help; empty if there is.
std::string shmem_missing();
/// Leaves MPI and, if it was begun, OpenSHMEM.
void finalize_mpi_and_shmem() noexcept;

/// Zeroed memory at the same place of every processing element's symmetric heap. Collective to make
/// and to release, over all of MPI_COMM_WORLD.
class SymmetricMemory {
 public:
  /// The most that any rank asks for, on every rank. Throws the same Error on all if there is not
  /// so much, or if `comm` lacks a rank of MPI_COMM_WORLD.
  SymmetricMemory(MPI_Comm comm, std::size_t bytes, const std::string& scheme);
  ~SymmetricMemory();
  SymmetricMemory(const SymmetricMemory&) = delete;
  SymmetricMemory& operator=(const SymmetricMemory&) = delete;

  std::byte* data() const noexcept { return data_; }

 private:
  std::byte* data_ = nullptr;
};

}  // namespace halocline::detail
