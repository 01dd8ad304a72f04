#pragma once
// For readers that all ranks of a communicator share.

#include <halocline/environment.hpp>

namespace fuzz {

/// The communicator of this process alone. MPI begins at the first call, and ends with the process.
inline MPI_Comm alone() {
  static int words = 0;
  static char** none = nullptr;
  static const halocline::Environment mpi(words, none);
  return MPI_COMM_SELF;
}

}  // namespace fuzz
