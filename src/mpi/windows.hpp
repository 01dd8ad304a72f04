#pragma once
// Windows that live when MPI_Finalize begins: MPI wants them freed before.

#include <halocline/more/mpi.hpp>

namespace halocline::detail {

/// If this window, made by the ranks of `comm`, still lives when MPI_Finalize begins, they free it
/// then, unless some of them have left a step in the middle. `comm` is one of the library's own
/// (own.hpp) and lives as long as the window.
void end_with_mpi(MPI_Win window, MPI_Comm comm);

/// Whether such a window is in an epoch of MPI_Win_lock_all.
void set_in_epoch(MPI_Win window, bool in_epoch) noexcept;

/// Whether this rank has left a step in the middle, or is in one.
void ask_before_end(bool (*in_a_step)());

/// Windows end after what is registered with at_end_of_mpi from here on.
void prepare_end_of_windows();

}  // namespace halocline::detail
