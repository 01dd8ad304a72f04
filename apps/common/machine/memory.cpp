#include "memory.hpp"

#include <base/limits.hpp>

namespace machine {

namespace mpi = halocline::mpi;

void check_memory(MPI_Comm comm, double bytes, const std::string& what) {
  MPI_Comm raw = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_split_type, comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &raw);
  const mpi::Comm node(raw);
  double together = bytes;
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &together, 1, MPI_DOUBLE, MPI_SUM, node);
  mpi::agree(comm, halocline::base::shortage(bytes, together, what));
}

void check_memory(double bytes, const std::string& what) {
  halocline::base::check_memory(bytes, what);
}

}  // namespace machine
