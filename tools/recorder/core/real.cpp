#include "real.hpp"

#include "mpi.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

// What halocline-preload looks for in this library.
extern "C" __attribute__((used, visibility("default"))) const char halocline_record_interface[] =
    "halocline-record-interface:" RECORDER_INTERFACE;

namespace recorder {

void refuse(const char* what, const char* more) {
  char line[1024];
  int size = std::snprintf(line, sizeof(line), "halocline-preload: %s%s\n", what, more);
  if (size > 0) (void)!write(STDERR_FILENO, line, static_cast<std::size_t>(size));
  _exit(EXIT_FAILURE);
}

namespace {

const char* base_of(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash ? slash + 1 : path;
}

bool begins(const char* text, const char* with) {
  return std::strncmp(text, with, std::strlen(with)) == 0;
}

// How libraries of MPI are called, those with its Fortran bindings included.
bool is_mpi_name(const char* path) {
  const char* name = base_of(path);
  for (const char* start : {"libmpi.so", "libmpi_", "libmpi-", "libmpich", "libmpifort",
                            "libmpicxx", "libpmpi", "libfmpich", "libopen-rte", "libopen-pal"}) {
    if (begins(name, start)) return true;
  }
  return false;
}

// The library of an MPI that the program has loaded for itself alone (Python does).
void* loaded_for_itself() {
  struct Found {
    void* handle = nullptr;
  } found;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& found = *static_cast<Found*>(data);
        if (!info->dlpi_name || !is_mpi_name(info->dlpi_name)) return 0;
        void* handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
        if (!handle) return 0;
        if (dlsym(handle, "PMPI_Init")) {
          found.handle = handle;
          return 1;
        }
        dlclose(handle);
        return 0;
      },
      &found);
  return found.handle;
}

// Where functions are looked for: RTLD_NEXT, or the library found. Null: none yet.
void* library = nullptr;
char version[256] = "";

const char* interface_of(void* place, void* init) {
  if (dlsym(place, "ompi_mpi_comm_world")) return "openmpi";
  Dl_info where;
  if (dladdr(init, &where) && where.dli_fname && begins(base_of(where.dli_fname), "libmpi_abi")) {
    return "mpi_abi";
  }
  return "mpich";
}

void* find_library() {
  void* known = __atomic_load_n(&library, __ATOMIC_ACQUIRE);
  if (known) return known;
  void* place = RTLD_NEXT;
  void* init = dlsym(RTLD_NEXT, "PMPI_Init");
  if (!init) {
    place = loaded_for_itself();
    if (!place)
      refuse("a function of MPI was called, but no libmpi is loaded: is it linked statically?");
    init = dlsym(place, "PMPI_Init");
  }
  // Handles differ in size between these: no call but this one is safe before it is known.
  using Version = int (*)(char*, int*);
  auto ask = reinterpret_cast<Version>(dlsym(place, "PMPI_Get_library_version"));
  static char words[65536];
  int size = 0;
  if (ask && ask(words, &size) == 0) {
    std::snprintf(version, sizeof(version), "%.*s", static_cast<int>(sizeof(version)) - 1, words);
    if (char* end = std::strchr(version, '\n')) *end = 0;
    for (char& letter : version) {
      if (letter == '\t') letter = ' ';
    }
  }
  const char* found = interface_of(place, init);
  if (std::strcmp(found, RECORDER_INTERFACE) != 0) {
    char line[512];
    std::snprintf(line, sizeof(line),
                  "the program runs on the interface %s (%s), but what records it is for %s; give "
                  "halocline-preload --interface %s",
                  found, version[0] ? version : "unknown", RECORDER_INTERFACE, found);
    refuse(line);
  }
  __atomic_store_n(&library, place, __ATOMIC_RELEASE);
  return place;
}

}  // namespace

void* real_function(const char* name) {
  void* place = find_library();
  return dlsym(place, name);
}

void* symbol(const char* name) {
  // A program that is no shared library has its own copy of such data, which the library uses, too.
  void* place = find_library();
  void* address = dlsym(RTLD_DEFAULT, name);
  if (!address) address = dlsym(place, name);
  if (!address) refuse("this MPI lacks ", name);
  return address;
}

const char* library_version() {
  return version;
}

int no_such_function(const char* name) {
  char line[256];
  int size = std::snprintf(line, sizeof(line), "halocline-preload: this MPI has no %s\n", name);
  if (size > 0) (void)!write(STDERR_FILENO, line, static_cast<std::size_t>(size));
  return MPI_ERR_OTHER;
}

bool in_mpi_library(const void* address) {
  Dl_info where;
  return dladdr(address, &where) && where.dli_fname && is_mpi_name(where.dli_fname);
}

}  // namespace recorder
