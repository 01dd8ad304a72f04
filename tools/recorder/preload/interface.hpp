// Which MPI a program will run on, and which library goes in front of it there.
#pragma once

#include <string>
#include <vector>

namespace preload {

// mpich, openmpi or mpi_abi. Throws Refusal if it cannot be told.
std::string interface_of(const std::vector<std::string>& command);

// What can be put in front of an MPI: a library for each interface, which has a mark with the
// interface's name in it.
struct Front {
  const char* called;
  const char* library;
  const char* mark;
};
inline constexpr Front kRecorder{"recorder", "libhalocline_record.so",
                                 "halocline-record-interface:"};
inline constexpr Front kSubstitute{"substitute", "libhalocline_substitute.so",
                                   "halocline-substitute-interface:"};

// The library for an interface: beside this program, where a build, a wheel or an installation has
// it.
std::string library_for(const Front& front, const std::string& interface);

inline const std::vector<std::string> kInterfaces{"mpich", "openmpi", "mpi_abi"};

}  // namespace preload
