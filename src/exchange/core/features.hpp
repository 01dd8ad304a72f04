#pragma once
// What this MPI has beyond 3.1. Open MPI 5 says 3.1 in its header, but has these parts of MPI 4.
//
// A library that was built with them may run with an older MPI of the same binary interface (Open
// MPI 5 and 4.1). So their functions are weak: where the MPI that runs has none, the address is
// null.

#include <mpi.h>

#include <string>

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HALOCLINE_HAVE_PARTITIONED 1
#define HALOCLINE_HAVE_PERSISTENT_COLLECTIVES 1
#pragma weak MPI_Neighbor_alltoallw_init
#pragma weak MPI_Parrived
#pragma weak MPI_Pready
#pragma weak MPI_Pready_range
#pragma weak MPI_Precv_init
#pragma weak MPI_Psend_init
#endif

namespace halocline::detail {

/// "this MPI (Open MPI v4.1.4) has no MPI_Psend_init"
std::string lacks(const char* function);
/// The same where the function's address is null, else nothing.
template <class Function>
std::string lacks(Function* address, const char* function) {
  return address == nullptr ? lacks(function) : std::string();
}

}  // namespace halocline::detail
