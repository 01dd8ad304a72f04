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

template <std::size_t, class>
struct ParameterOf;
template <class First, class... Rest>
struct ParameterOf<0, int(First, Rest...)> {
  using type = First;
};
template <std::size_t number, class First, class... Rest>
struct ParameterOf<number, int(First, Rest...)> : ParameterOf<number - 1, int(Rest...)> {};

}  // namespace

void* halocline_substitute_real(const char* name) {
  return preload::needed_function(name);
}

// FRONT4(Put): the function with four parameters, under both of MPI's names, for Fortran's bindings
// call PMPI_ where programs call MPI_.
#define P(name, number) ParameterOf<number, decltype(MPI_##name)>::type p##number
#define FRONT(name, parameters, arguments)                                                      \
  extern "C" __attribute__((visibility("default"))) int MPI_##name parameters {                 \
    static auto* const behind = reinterpret_cast<decltype(&MPI_##name)>(in_core("MPI_" #name)); \
    return behind arguments;                                                                    \
  }                                                                                             \
  extern "C" __attribute__((visibility("default"))) decltype(MPI_##name) PMPI_##name            \
      __attribute__((alias("MPI_" #name)));
#define FRONT0(name) FRONT(name, (), ())
#define FRONT1(name) FRONT(name, (P(name, 0)), (p0))
#define FRONT2(name) FRONT(name, (P(name, 0), P(name, 1)), (p0, p1))
#define FRONT3(name) FRONT(name, (P(name, 0), P(name, 1), P(name, 2)), (p0, p1, p2))
#define FRONT4(name) FRONT(name, (P(name, 0), P(name, 1), P(name, 2), P(name, 3)), (p0, p1, p2, p3))
#define FRONT5(name) \
  FRONT(name, (P(name, 0), P(name, 1), P(name, 2), P(name, 3), P(name, 4)), (p0, p1, p2, p3, p4))
#define P0_TO_6(name) \
  P(name, 0), P(name, 1), P(name, 2), P(name, 3), P(name, 4), P(name, 5), P(name, 6)
#define FRONT7(name) FRONT(name, (P0_TO_6(name)), (p0, p1, p2, p3, p4, p5, p6))
#define FRONT8(name) FRONT(name, (P0_TO_6(name), P(name, 7)), (p0, p1, p2, p3, p4, p5, p6, p7))
#define FRONT9(name) \
  FRONT(name, (P0_TO_6(name), P(name, 7), P(name, 8)), (p0, p1, p2, p3, p4, p5, p6, p7, p8))
#define FRONT10(name)                                              \
  FRONT(name, (P0_TO_6(name), P(name, 7), P(name, 8), P(name, 9)), \
        (p0, p1, p2, p3, p4, p5, p6, p7, p8, p9))
#define FRONT11(name)                                                           \
  FRONT(name, (P0_TO_6(name), P(name, 7), P(name, 8), P(name, 9), P(name, 10)), \
        (p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10))
#define FRONT12(name)                                                                        \
  FRONT(name, (P0_TO_6(name), P(name, 7), P(name, 8), P(name, 9), P(name, 10), P(name, 11)), \
        (p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11))
#define FRONT13(name)                                                                             \
  FRONT(                                                                                          \
      name,                                                                                       \
      (P0_TO_6(name), P(name, 7), P(name, 8), P(name, 9), P(name, 10), P(name, 11), P(name, 12)), \
      (p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12))

FRONT2(Init)
FRONT4(Init_thread)
FRONT0(Finalize)
FRONT1(Comm_free)
FRONT1(Comm_disconnect)
FRONT1(Type_free)

FRONT1(Start)
FRONT2(Startall)
FRONT7(Isend)
FRONT2(Wait)
FRONT3(Waitall)
FRONT4(Waitany)
FRONT5(Waitsome)
FRONT3(Test)
FRONT4(Testall)
FRONT5(Testany)
FRONT5(Testsome)
FRONT3(Request_get_status)
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
FRONT4(Request_get_status_all)
FRONT5(Request_get_status_any)
FRONT5(Request_get_status_some)
#endif
FRONT1(Request_free)
FRONT1(Cancel)

FRONT2(Win_fence)
FRONT1(Win_free)
FRONT4(Win_lock)
FRONT2(Win_unlock)
FRONT2(Win_lock_all)
FRONT1(Win_unlock_all)
FRONT3(Win_start)
FRONT1(Win_complete)
FRONT3(Win_post)
FRONT7(Fetch_and_op)
FRONT7(Compare_and_swap)

// With counts of type int, and with those of type MPI_Count where MPI has it.
#define FRONT_COUNTING(suffix)         \
  FRONT8(Put##suffix)                  \
  FRONT8(Get##suffix)                  \
  FRONT9(Accumulate##suffix)           \
  FRONT12(Get_accumulate##suffix)      \
  FRONT9(Rput##suffix)                 \
  FRONT9(Rget##suffix)                 \
  FRONT10(Raccumulate##suffix)         \
  FRONT13(Rget_accumulate##suffix)     \
  FRONT7(Neighbor_allgather##suffix)   \
  FRONT8(Neighbor_allgatherv##suffix)  \
  FRONT7(Neighbor_alltoall##suffix)    \
  FRONT9(Neighbor_alltoallv##suffix)   \
  FRONT9(Neighbor_alltoallw##suffix)   \
  FRONT8(Ineighbor_allgather##suffix)  \
  FRONT9(Ineighbor_allgatherv##suffix) \
  FRONT8(Ineighbor_alltoall##suffix)   \
  FRONT10(Ineighbor_alltoallv##suffix) \
  FRONT10(Ineighbor_alltoallw##suffix)
#define FRONT_PERSISTENT(suffix)       \
  FRONT9(Neighbor_allgather##suffix)   \
  FRONT10(Neighbor_allgatherv##suffix) \
  FRONT9(Neighbor_alltoall##suffix)    \
  FRONT11(Neighbor_alltoallv##suffix)  \
  FRONT11(Neighbor_alltoallw##suffix)
FRONT_COUNTING()
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
FRONT_PERSISTENT(_init)
#endif
#if MPI_VERSION >= 4
FRONT_COUNTING(_c)
FRONT_PERSISTENT(_init_c)
#endif
