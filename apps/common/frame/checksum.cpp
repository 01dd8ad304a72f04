#include "checksum.hpp"

#include <base/text.hpp>

namespace frame {

std::string checksum(MPI_Comm comm, std::uint64_t part) {
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &part, 1, MPI_UINT64_T, MPI_SUM, comm);
  return halocline::base::formatted("%016llx", static_cast<unsigned long long>(part));
}

}  // namespace frame
