// MPI's functions, as a program sees them that runs with the substitute.
//
// This library names no MPI and has no Halocline in it. So it can be put in front of anything: a
// shell or an interpreter that starts the program or opens MPI later, and any MPI with the handles
// that it was compiled for, whatever its file is called and whichever release it is. When the
// program first calls MPI, that MPI is known; then the rest of the substitute is loaded, which uses
// MPI as any library does.

#include "front.hpp"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <mpi_calls/calls.hpp>
#include <preload/behind.hpp>

#include <dlfcn.h>
#include <string>

namespace {

void* core_loaded() {
  preload::show_to_all();
  Dl_info own;
  dladdr(reinterpret_cast<void*>(&core_loaded), &own);
  std::string path = own.dli_fname;
  path.replace(path.rfind(".so"), std::string::npos, "_core.so");
  void* const core = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (core == nullptr) {
    const std::string why = dlerror();
    preload::refuse("the substitute cannot work with this MPI (",
                    (std::string(preload::library_version()) + "): " + why).c_str());
  }
  return core;
}

void* in_core(const char* name) {
  static void* const core = core_loaded();
  void* const found = preload::look_up(core, name);
  if (found == nullptr) preload::refuse("the substitute has no ", name);
  return found;
}

}  // namespace

void* halocline_substitute_real(const char* name) {
  return preload::needed_function(name);
}

// Under both of MPI's names, for Fortran's bindings call PMPI_ where programs call MPI_.
#define FRONT(name)                                                                             \
  extern "C" __attribute__((visibility("default"))) int WRAPPED(name) {                         \
    static auto* const behind = reinterpret_cast<decltype(&MPI_##name)>(in_core("MPI_" #name)); \
    return behind(ARGUMENTS(name));                                                             \
  }                                                                                             \
  extern "C" __attribute__((visibility("default"))) decltype(MPI_##name) PMPI_##name            \
      __attribute__((alias("MPI_" #name)));

FRONT(Init)
FRONT(Init_thread)
FRONT(Finalize)
FRONT(Comm_free)
FRONT(Comm_disconnect)
FRONT(Type_free)

FRONT(Start)
FRONT(Startall)
FRONT(Isend)
FRONT(Wait)
FRONT(Waitall)
FRONT(Waitany)
FRONT(Waitsome)
FRONT(Test)
FRONT(Testall)
FRONT(Testany)
FRONT(Testsome)
FRONT(Request_get_status)
#ifdef HAS_MPI_Request_get_status_all
FRONT(Request_get_status_all)
FRONT(Request_get_status_any)
FRONT(Request_get_status_some)
#endif
FRONT(Request_free)
FRONT(Cancel)

FRONT(Win_fence)
FRONT(Win_free)
FRONT(Win_lock)
FRONT(Win_unlock)
FRONT(Win_lock_all)
FRONT(Win_unlock_all)
FRONT(Win_start)
FRONT(Win_complete)
FRONT(Win_post)
FRONT(Fetch_and_op)
FRONT(Compare_and_swap)

#define FRONT_OPERATIONS(ends) \
  FRONT(Put##ends)             \
  FRONT(Get##ends)             \
  FRONT(Accumulate##ends)      \
  FRONT(Get_accumulate##ends)  \
  FRONT(Rput##ends)            \
  FRONT(Rget##ends)            \
  FRONT(Raccumulate##ends)     \
  FRONT(Rget_accumulate##ends)
#define FRONT_NEIGHBORS(begins, ends) \
  FRONT(begins##allgather##ends)      \
  FRONT(begins##allgatherv##ends)     \
  FRONT(begins##alltoall##ends)       \
  FRONT(begins##alltoallv##ends)      \
  FRONT(begins##alltoallw##ends)
FRONT_OPERATIONS()
FRONT_NEIGHBORS(Neighbor_, )
FRONT_NEIGHBORS(Ineighbor_, )
#ifdef HAS_MPI_Put_c
FRONT_OPERATIONS(_c)
FRONT_NEIGHBORS(Neighbor_, _c)
FRONT_NEIGHBORS(Ineighbor_, _c)
#endif
#ifdef HAS_MPI_Neighbor_alltoallw_init
FRONT_NEIGHBORS(Neighbor_, _init)
#endif
#ifdef HAS_MPI_Neighbor_alltoallw_init_c
FRONT_NEIGHBORS(Neighbor_, _init_c)
#endif
