#include "checksum.hpp"

#include "formatted.hpp"

namespace frame {

std::string checksum(MPI_Comm comm, std::uint64_t part) {
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &part, 1, MPI_UINT64_T, MPI_SUM, comm);
  std::string digits;
  append(digits, "%016llx", static_cast<unsigned long long>(part));
  return digits;
}

}  // namespace frame
