#pragma once
// What this MPI has beyond 3.1. Open MPI 5 says 3.1 in its header, but has these parts of MPI 4.

#include <mpi.h>

#include <string>

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HALOCLINE_HAVE_PARTITIONED 1
#define HALOCLINE_HAVE_PERSISTENT_COLLECTIVES 1
#endif

namespace halocline::detail {

/// "this MPI (Open MPI v4.1.4) has no MPI_Psend_init"
std::string lacks(const char* function);

}  // namespace halocline::detail
