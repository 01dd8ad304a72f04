#include "behind.hpp"

#include "names.hpp"
#include "speaker.hpp"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#if defined(MPI_ABI_VERSION)
#define OWN_INTERFACE "mpi_abi"
#elif defined(OMPI_MAJOR_VERSION)
#define OWN_INTERFACE "openmpi"
#else
#define OWN_INTERFACE "mpich"
#endif

extern "C" __attribute__((used, visibility("default"))) const char halocline_preload_interface[] =
    PRELOAD_MARK OWN_INTERFACE;

namespace preload {

namespace {

constexpr const char* kThisMpi = "the MPI of this program";

// The library of an MPI that the program has loaded for itself alone.
void* loaded_for_itself() {
  struct Found {
    void* handle = nullptr;
  } found;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& found = *static_cast<Found*>(data);
        if (!info->dlpi_name || !is_of_mpi(info->dlpi_name)) return 0;
        void* handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
        if (!handle) return 0;
        if (look_up(handle, "PMPI_Init")) {
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

// Handles differ in size between interfaces: what is asked here has none.
const char* interface_of(void* place, void* init) {
  using AbiVersion = int (*)(int*, int*);
  auto ask = reinterpret_cast<AbiVersion>(look_up(place, "PMPI_Abi_get_version"));
  int major = 0, minor = 0;
  if (ask && ask(&major, &minor) == 0 && major > 0) return "mpi_abi";
  Dl_info where;
  if (dladdr(init, &where) && where.dli_fname && base_of(where.dli_fname).starts_with("libmpi_abi"))
    return "mpi_abi";
  return look_up(place, "ompi_mpi_comm_world") ? "openmpi" : "mpich";
}

void ask_version(void* place) {
  using Version = int (*)(char*, int*);
  auto ask = reinterpret_cast<Version>(look_up(place, "PMPI_Get_library_version"));
  static char words[65536];
  int size = 0;
  if (!ask || ask(words, &size) != 0) return;
  std::snprintf(version, sizeof(version), "%.*s", static_cast<int>(sizeof(version)) - 1, words);
  if (char* end = std::strchr(version, '\n')) *end = 0;
  for (char& letter : version) {
    if (letter == '\t') letter = ' ';
  }
}

void* find_library() {
  void* known = __atomic_load_n(&library, __ATOMIC_ACQUIRE);
  if (known) return known;
  void* place = RTLD_NEXT;
  void* init = look_up(RTLD_NEXT, "PMPI_Init");
  if (!init) {
    place = loaded_for_itself();
    if (!place)
      refuse("a function of MPI was called, but no libmpi is loaded: is it linked statically?");
    init = look_up(place, "PMPI_Init");
  }
  ask_version(place);
  const char* found = interface_of(place, init);
  if (std::strcmp(found, OWN_INTERFACE) != 0) {
    char line[512];
    std::snprintf(line, sizeof(line),
                  "the program runs on the interface %s (%s), but what stands in front of it is "
                  "for %s; give halocline-preload --interface %s",
                  found, version[0] ? version : "unknown", OWN_INTERFACE, found);
    refuse(line);
  }
  __atomic_store_n(&library, place, __ATOMIC_RELEASE);
  return place;
}

}  // namespace

void* function(const char* name) {
  void* place = find_library();
  return look_up(place, name);
}

void* needed_function(const char* name) {
  void* found = function(name);
  if (!found) refuse(kThisMpi, (" has no " + std::string(name)).c_str());
  return found;
}

void show_to_all() {
  Dl_info where;
  if (find_library() == RTLD_NEXT || !dladdr(function("PMPI_Init"), &where)) return;
  dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
}

void* symbol(const char* name) {
  // A program that is no shared library has its own copy of such data, which the library uses, too.
  void* place = find_library();
  void* address = look_up(RTLD_DEFAULT, name);
  if (!address) address = look_up(place, name);
  if (!address) refuse(kThisMpi, (" has no " + std::string(name)).c_str());
  return address;
}

const char* own_interface() {
  return OWN_INTERFACE;
}

const char* library_version() {
  return version;
}

int no_such_function(const char* name) {
  char line[256];
  int size = std::snprintf(line, sizeof(line), "halocline-preload: %s has no %s\n", kThisMpi, name);
  if (size > 0) (void)!write(STDERR_FILENO, line, static_cast<std::size_t>(size));
  return MPI_ERR_OTHER;
}

bool in_mpi_library(const void* address) {
  Dl_info where;
  return dladdr(address, &where) && where.dli_fname && is_of_mpi(where.dli_fname);
}

bool in_binding(const void* address) {
  Dl_info where;
  if (!dladdr(address, &where)) return false;
  const std::string_view name = where.dli_sname ? where.dli_sname : "";
  return name.starts_with("MPI_") || name.starts_with("PMPI_") ||
         (where.dli_fname && is_of_mpi(where.dli_fname));
}

bool has_used_mpi() {
  void* place = look_up(RTLD_NEXT, "PMPI_Initialized") ? RTLD_NEXT : loaded_for_itself();
  if (!place) return false;
  using Ask = int (*)(int*);
  auto ask = reinterpret_cast<Ask>(look_up(place, "PMPI_Initialized"));
  int begun = 0;
  return ask && ask(&begun) == 0 && begun != 0;
}

void say(const char* what) {
  const Speaker speaker("halocline-preload: " + std::string(what) + "\n");
}

void refuse(const char* what, const char* more) {
  say((std::string(what) + more).c_str());
  _exit(EXIT_FAILURE);
}

}  // namespace preload
