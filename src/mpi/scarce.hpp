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

/// Runs `make`, which makes one of them. Where MPI has none left, throws Error that begins with
/// `who` and ends with what would help; where it fails for another reason, with that one.
template <class Make>
void make_scarce(const std::string& who, const std::string& remedy, Make&& make,
                 const char* what = "window") {
  try {
    make();
  } catch (const mpi::CallFailed& failure) {
    if (!none_left(failure)) throw Error(who + ": " + failure.what());
    throw Error(who + ": this MPI gives no further " + what + " (" + failure.what() + "). " +
                remedy);
  }
}

}  // namespace halocline::detail
