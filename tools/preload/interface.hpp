// Which MPI a program will run on, and which library goes in front of it there.
#pragma once

#include <string>
#include <vector>

namespace preload {

// mpich, openmpi or mpi_abi. Throws Refusal if it cannot be told.
std::string interface_of(const std::vector<std::string>& command);

// Other tools in front of the MPI of what a command starts.
std::vector<std::string> tools_of(const std::vector<std::string>& command);

// What can be put in front of an MPI: a library for each interface.
struct Front {
  const char* called;
  const char* library;
};
inline constexpr Front kRecorder{"recorder", "libhalocline_record.so"};
inline constexpr Front kSubstitute{"substitute", "libhalocline_substitute.so"};

// The library for an interface: beside this program, where a build, a wheel or an installation has
// it.
std::string library_for(const Front& front, const std::string& interface);

}  // namespace preload
