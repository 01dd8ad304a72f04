// The MPI that the program was compiled for, without a reference to its library: that may come
// late, and where only Python sees it.
#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
// Otherwise Open MPI's header refuses the names of what MPI 3 took out, which programs still call.
#define OMPI_OMIT_MPI1_COMPAT_DECLS 0
#include <mpi.h>

#include <preload/behind.hpp>

// Open MPI's handles are addresses of its data.
#ifdef OMPI_PREDEFINED_GLOBAL
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) (static_cast<type>(::preload::symbol(#global)))
#endif
