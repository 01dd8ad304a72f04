// What interfaces of MPI, and files of its libraries, are called.
#pragma once

#include <string_view>

namespace preload {

// As halocline-preload and recordings name them: whose handles they are.
inline constexpr std::string_view kInterfaces[] = {"mpich", "openmpi", "mpi_abi"};

// What a library that goes in front of an MPI has in it, with the name of its interface behind:
// halocline-preload looks for that in the file.
#define PRELOAD_MARK "halocline-preload-interface:"

inline std::string_view base_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// A library of MPI for C, which also wheels bring, and with other names.
inline bool is_mpi(std::string_view path) {
  const std::string_view name = base_of(path);
  for (std::string_view start :
       {"libmpi.so", "libmpich.so", "libmpi_abi.so", "libmpi-", "libmpich-", "libmpi_abi-"}) {
    if (name.starts_with(start)) return true;
  }
  return false;
}

// One of those, or of an MPI's own above and below: Fortran's, say.
inline bool is_of_mpi(std::string_view path) {
  const std::string_view name = base_of(path);
  for (std::string_view start :
       {"libmpi.so", "libmpi_", "libmpi-", "libmpich", "libmpifort", "libmpicxx", "libpmpi",
        "libfmpich", "libopen-rte", "libopen-pal"}) {
    if (name.starts_with(start)) return true;
  }
  return false;
}

}  // namespace preload
