// Programs that look MPI's functions up in the handle of its library: ctypes, numba-mpi, Julia.
// They find those of the library in front.

#include "behind.hpp"

#include <dlfcn.h>

#include <cstring>
#include <initializer_list>

namespace preload {

namespace {

using Lookup = void* (*)(void*, const char*);

// The C library's own, found without itself.
Lookup find_lookup() {
  for (const char* version : {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"}) {
    if (void* found = dlvsym(RTLD_NEXT, "dlsym", version)) return reinterpret_cast<Lookup>(found);
  }
  return reinterpret_cast<Lookup>(dlvsym(RTLD_DEFAULT, "dlsym", "GLIBC_2.2.5"));
}

Lookup lookup() {
  static Lookup known = nullptr;
  Lookup found = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (!found) __atomic_store_n(&known, found = find_lookup(), __ATOMIC_RELAXED);
  return found;
}

// The library in front, if it is one for which a program finds MPI's functions.
void* own_handle() {
  static void* known = nullptr;
  void* handle = __atomic_load_n(&known, __ATOMIC_RELAXED);
  Dl_info own;
  if (!handle && dladdr(reinterpret_cast<void*>(&own_handle), &own) != 0) {
    handle = dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    __atomic_store_n(&known, handle, __ATOMIC_RELAXED);
  }
  return handle;
}

bool is_mpi_function(const char* name) {
  return std::strncmp(name, "MPI_", 4) == 0 || std::strncmp(name, "PMPI_", 5) == 0;
}

}  // namespace

void* look_up(void* place, const char* name) {
  return lookup()(place, name);
}

}  // namespace preload

using namespace preload;

// What is looked for relative to the caller is left to the C library, which must see who calls: the
// last call is a jump.
#if defined(__clang__)
#define JUMPS
#define JUMP __attribute__((musttail)) return
#else
#define JUMPS __attribute__((optimize("O2")))
#define JUMP return
#endif
extern "C" JUMPS __attribute__((visibility("default"))) void* dlsym(void* handle,
                                                                    const char* name) {
  if (handle != RTLD_NEXT && handle != RTLD_DEFAULT && is_mpi_function(name)) {
    void* found = lookup()(handle, name);
    if (!found || !in_mpi_library(found)) return found;
    void* front = own_handle() ? lookup()(own_handle(), name) : nullptr;
    return front ? front : found;
  }
  JUMP lookup()(handle, name);
}
