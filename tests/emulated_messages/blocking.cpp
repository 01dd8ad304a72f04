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

#define LET_GO_BEFORE(name) \
  int WRAPPED(name) {       \
    let_go();               \
    return NATIVE(name);    \
  }

LET_GO_BEFORE(Finalize)
LET_GO_BEFORE(Barrier)
LET_GO_BEFORE(Bcast)
LET_GO_BEFORE(Allreduce)
LET_GO_BEFORE(Reduce)
LET_GO_BEFORE(Gather)
LET_GO_BEFORE(Gatherv)
LET_GO_BEFORE(Scatter)
LET_GO_BEFORE(Allgather)
LET_GO_BEFORE(Comm_dup)
LET_GO_BEFORE(Comm_split)
LET_GO_BEFORE(Comm_split_type)
LET_GO_BEFORE(Comm_create_group)
LET_GO_BEFORE(Comm_free)
LET_GO_BEFORE(Dist_graph_create_adjacent)
LET_GO_BEFORE(Win_allocate)
LET_GO_BEFORE(Win_allocate_shared)
LET_GO_BEFORE(Win_create)
LET_GO_BEFORE(Win_create_dynamic)
LET_GO_BEFORE(Win_free)
LET_GO_BEFORE(Win_fence)
LET_GO_BEFORE(Win_start)
LET_GO_BEFORE(Win_complete)
LET_GO_BEFORE(Win_wait)
LET_GO_BEFORE(Win_lock)
LET_GO_BEFORE(Win_unlock)
LET_GO_BEFORE(Win_lock_all)
LET_GO_BEFORE(Win_unlock_all)
LET_GO_BEFORE(Win_flush)
