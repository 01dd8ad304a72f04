#pragma once
// Which rank speaks when a job fails: one of a node, however long the launcher takes to end the
// others. And how the ranks of a node exit together: as soon as the first one has failed,
// launchers kill the others and say so at length.

#include <mpi.h>

namespace halocline::detail {

/// Makes the place in the node's memory where its ranks settle it. Collective. Where there is no
/// such memory every rank may speak.
void share_last_word(MPI_Comm comm);

/// True on the first rank of this node that asks, false from then on. Without MPI, so that a thread
/// beside a call that never returns may ask.
bool take_last_word() noexcept;

/// Waits, when MPI has ended, until all ranks of this node have come here; for two seconds at most.
void exit_together() noexcept;

/// For a rank that has nothing to say any more: waits to be ended, and exits if nobody does it.
[[noreturn]] void exit_silently() noexcept;

}  // namespace halocline::detail
