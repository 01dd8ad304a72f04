// Where Halocline is built with OpenSHMEM, its substitute still has none: OpenSHMEM begins and ends
// with the whole program, which is another's here, and its library is that of one release of Open
// MPI.

#include <halocline/error.hpp>

#include <cstdlib>

/// What a scheme of OpenSHMEM calls first, on all ranks.
extern "C" void shmem_init() {
  throw halocline::Error("OpenSHMEM cannot begin within a program that has not begun it");
}

// Never reached then.
#define NOT_REACHED(name)  \
  extern "C" void name() { \
    std::abort();          \
  }
NOT_REACHED(shmem_barrier_all)
NOT_REACHED(shmem_calloc)
NOT_REACHED(shmem_fence)
NOT_REACHED(shmem_finalize)
NOT_REACHED(shmem_free)
NOT_REACHED(shmem_my_pe)
NOT_REACHED(shmem_putmem)
NOT_REACHED(shmem_ulong_atomic_fetch)
NOT_REACHED(shmem_ulong_atomic_set)
NOT_REACHED(shmem_ulong_test)
