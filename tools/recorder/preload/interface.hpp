// Which MPI a program will run on, and which library records it there.
#pragma once

#include <string>
#include <vector>

namespace preload {

// mpich, openmpi or mpi_abi. Throws Refusal if it cannot be told.
std::string interface_of(const std::vector<std::string>& command);

// The library for an interface: beside this program, where a build, a wheel or an installation has
// it.
std::string library_for(const std::string& interface);

inline const std::vector<std::string> kInterfaces{"mpich", "openmpi", "mpi_abi"};

}  // namespace preload
