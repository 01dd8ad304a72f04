#include "shmem_runtime.hpp"

#include <cstdlib>
#include <string_view>

#if HALOCLINE_HAVE_SHMEM
#include <shmem.h>
#endif

namespace halocline::detail {

namespace {

std::string lacks(const std::string& what) {
  std::string library = mpi::library_version();
  library = library.substr(0, library.find(','));
  return "this MPI (" + library + ") has no " + what;
}

}  // namespace

#if HALOCLINE_HAVE_SHMEM

namespace {
bool begun = false;
}

std::string shmem_missing() {
#if OMPI_MAJOR_VERSION == 4
  // Open MPI 4.1.4 crashes at the end of a program that has used OpenSHMEM beside BTL vader.
  const char* btl = std::getenv("OMPI_MCA_btl");
  const std::string_view chosen = btl == nullptr ? "" : btl;
  const bool without = chosen.starts_with('^') == (chosen.find("vader") != chosen.npos);
  if (chosen.empty() || !without)
    return lacks("OpenSHMEM that ends well beside BTL vader; start with mpiexec --mca btl ^vader");
#endif
  return {};
}

void finalize_mpi_and_shmem() noexcept {
  // It ends MPI, too.
  if (begun && mpi::running()) shmem_finalize();
  if (mpi::running()) MPI_Finalize();
}

SymmetricMemory::SymmetricMemory(MPI_Comm comm, std::size_t bytes, const std::string& scheme) {
  int same = MPI_UNEQUAL;
  HALOCLINE_MPI(MPI_Comm_compare, comm, MPI_COMM_WORLD, &same);
  mpi::agree(comm, same == MPI_UNEQUAL
                       ? scheme + ": the exchange has " + std::to_string(mpi::size(comm)) +
                             " ranks; OpenSHMEM's symmetric memory needs all " +
                             std::to_string(mpi::size(world()))
                       : "");
  if (!begun) {
    shmem_init();
    begun = true;
  }
  mpi::agree(comm, shmem_my_pe() == mpi::rank(world())
                       ? ""
                       : scheme + ": OpenSHMEM counts its processing elements otherwise than MPI");
  auto most = static_cast<std::uint64_t>(bytes + 1);
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &most, 1, MPI_UINT64_T, MPI_MAX, comm);
  data_ = static_cast<std::byte*>(shmem_calloc(most, 1));
  mpi::agree(comm, data_ != nullptr
                       ? ""
                       : scheme + ": the symmetric heap has no " + std::to_string(most) +
                             " bytes left; raise SHMEM_SYMMETRIC_SIZE");
  shmem_barrier_all();  // nobody puts into memory not yet zero
}

SymmetricMemory::~SymmetricMemory() {
  if (mpi::abandoning()) return;
  shmem_barrier_all();
  shmem_free(data_);
}

#else

std::string shmem_missing() {
  return lacks("OpenSHMEM; Open MPI 4 has");
}
void finalize_mpi_and_shmem() noexcept {
  if (mpi::running()) MPI_Finalize();
}
SymmetricMemory::SymmetricMemory(MPI_Comm, std::size_t, const std::string& scheme) {
  throw Error(scheme + ": " + shmem_missing());
}
SymmetricMemory::~SymmetricMemory() = default;

#endif

}  // namespace halocline::detail
