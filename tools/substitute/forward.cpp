#include "forward.hpp"

#include <mpi.h>

#include <dlfcn.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// What halocline-preload looks for in this library.
extern "C" __attribute__((used, visibility("default")))
const char halocline_substitute_interface[] =
#if defined(MPI_ABI_VERSION)
    "halocline-substitute-interface:mpi_abi";
#elif defined(OMPI_MAJOR_VERSION)
    "halocline-substitute-interface:openmpi";
#else
    "halocline-substitute-interface:mpich";
#endif

namespace substitute {

constinit thread_local int Inside::depth_ = 0;

namespace {

/// The interface of the MPI that comes after this library; those of others have other handles.
const char* interface_found(void* init) {
  if (dlsym(RTLD_NEXT, "ompi_mpi_comm_world") != nullptr) return "Open MPI's";
  Dl_info where;
  if (dladdr(init, &where) != 0 && where.dli_fname != nullptr &&
      std::strstr(where.dli_fname, "libmpi_abi") != nullptr)
    return "that of the MPI 5 standard";
  return "MPICH's";
}

#if defined(MPI_ABI_VERSION)
constexpr const char* interface_expected = "that of the MPI 5 standard";
#elif defined(OMPI_MAJOR_VERSION)
constexpr const char* interface_expected = "Open MPI's";
#else
constexpr const char* interface_expected = "MPICH's";
#endif

void check_interface() {
  void* const init = dlsym(RTLD_NEXT, "PMPI_Init");
  const char* const found = init == nullptr ? interface_expected : interface_found(init);
  if (std::strcmp(found, interface_expected) == 0) return;
  std::fprintf(stderr,
               "halocline-substitute: the interface of this program's MPI is %s, and this library "
               "is for %s\n",
               found, interface_expected);
  std::_Exit(EXIT_FAILURE);
}

}  // namespace

void* real_function(const char* name) {
  static const bool checked = (check_interface(), true);
  static_cast<void>(checked);
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    std::fprintf(stderr, "halocline-substitute: the MPI of this program has no %s\n", name);
    std::_Exit(EXIT_FAILURE);
  }
  return found;
}

}  // namespace substitute
