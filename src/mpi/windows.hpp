#pragma once
// Windows that live when MPI_Finalize begins: MPI wants them freed before.

#include <halocline/more/mpi.hpp>

namespace halocline::detail {

/// If this window, made by the ranks of `comm`, still lives when MPI_Finalize begins, they free it
/// then, the last one first, unless some of them are in the middle of something there. `comm` is
/// one of the library's own (own.hpp) and lives as long as the window.
void end_with_mpi(MPI_Win window, MPI_Comm comm);

/// Whether such a window is in an epoch of MPI_Win_lock_all.
void set_in_epoch(MPI_Win window, bool in_epoch) noexcept;

/// It may be in an epoch that is not all this rank's to end: nobody frees it.
void leave_in_epoch(MPI_Win window) noexcept;

/// Whether this rank is in the middle of a step.
void ask_before_end(bool (*in_a_step)());

/// Windows end after what is registered with at_end_of_mpi from here on.
void prepare_end_of_windows();

}  // namespace halocline::detail
