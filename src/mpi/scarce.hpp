#pragma once
// Communicators and windows, of which MPI has few (MPICH: 2048 together).

#include <halocline/more/mpi.hpp>

#include <string>
#include <string_view>

namespace halocline::detail {

/// Whether MPI has none left: it says so, or gives none to this rank alone either.
inline bool none_left(const mpi::CallFailed& failure) {
  if (std::string_view(failure.what()).find("oo many communicators") != std::string_view::npos)
    return true;
  if (!mpi::detail::world_is_there()) return false;
  MPI_Comm one = MPI_COMM_NULL;
  if (MPI_Comm_dup(MPI_COMM_SELF, &one) != MPI_SUCCESS) return true;
  MPI_Comm_free(&one);
  return false;
}

/// Runs `make`, which makes them. Where MPI has none left, throws Error that begins with `who` and
/// ends with what would help; where it fails for another reason, with that one.
template <class Make>
void make_scarce(const std::string& who, const std::string& remedy, Make&& make) {
  try {
    make();
  } catch (const mpi::CallFailed& failure) {
    if (!none_left(failure)) throw Error(who + ": " + failure.what());
    throw Error(who + ": this MPI gives no further window (" + failure.what() + "). " + remedy);
  }
}

/// To be called before a window is made: it takes a communicator's place. MPICH 5.0 says so when
/// there is none left for a communicator, and crashes when there is none for a window. Collective.
inline void look_for_place(MPI_Comm comm) {
  mpi::Comm::duplicate(comm);
}

}  // namespace halocline::detail
