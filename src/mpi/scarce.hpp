#pragma once
// Communicators and windows, of which MPI has few (MPICH: 2048 together).

#include <halocline/mpi.hpp>

#include <string>

namespace halocline::detail {

/// Runs `make`, which makes them. Where MPI has none left, throws Error that begins with `who` and
/// ends with what would help.
template <class Make>
void make_scarce(const std::string& who, const std::string& remedy, Make&& make) {
  try {
    make();
  } catch (const mpi::CallFailed& failure) {
    throw Error(who + ": this MPI gives no further window (" + failure.what() + "). " + remedy);
  }
}

/// To be called before a window is made: it takes a communicator's place. MPICH 5.0 says so when
/// there is none left for a communicator, and crashes when there is none for a window. Collective.
inline void look_for_place(MPI_Comm comm) {
  mpi::Comm::duplicate(comm);
}

}  // namespace halocline::detail
