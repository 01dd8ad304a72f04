// Calls that wait for other ranks inside MPI, where the layer has no say: before them it lets all
// messages go.

#include "messages.hpp"

#include <mpi_calls/calls.hpp>

namespace {
void let_go() {
  const emulated::Lock lock(emulated::one_at_a_time());
  emulated::Message::progress(true);
}
}  // namespace

BEFORE(Finalize, let_go())
BEFORE(Barrier, let_go())
BEFORE(Bcast, let_go())
BEFORE(Allreduce, let_go())
BEFORE(Reduce, let_go())
BEFORE(Gather, let_go())
BEFORE(Gatherv, let_go())
BEFORE(Scatter, let_go())
BEFORE(Allgather, let_go())
BEFORE(Comm_dup, let_go())
BEFORE(Comm_split, let_go())
BEFORE(Comm_split_type, let_go())
BEFORE(Comm_create_group, let_go())
BEFORE(Comm_free, let_go())
BEFORE(Dist_graph_create_adjacent, let_go())
BEFORE(Win_allocate, let_go())
BEFORE(Win_allocate_shared, let_go())
BEFORE(Win_create, let_go())
BEFORE(Win_create_dynamic, let_go())
BEFORE(Win_free, let_go())
BEFORE(Win_fence, let_go())
BEFORE(Win_start, let_go())
BEFORE(Win_complete, let_go())
BEFORE(Win_wait, let_go())
BEFORE(Win_lock, let_go())
BEFORE(Win_unlock, let_go())
BEFORE(Win_lock_all, let_go())
BEFORE(Win_unlock_all, let_go())
BEFORE(Win_flush, let_go())
