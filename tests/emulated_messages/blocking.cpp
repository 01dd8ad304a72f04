// Calls that wait for other ranks inside MPI, where the layer has no say: before them it lets all
// messages go.

#include "messages.hpp"

namespace {
void let_go() {
  const emulated::Lock lock(emulated::one_at_a_time());
  emulated::Message::progress(true);
}
}  // namespace

#define LET_GO_BEFORE(function, parameters, arguments) \
  int MPI_##function parameters {                      \
    let_go();                                          \
    return PMPI_##function arguments;                  \
  }

extern "C" {

LET_GO_BEFORE(Finalize, (), ())
LET_GO_BEFORE(Barrier, (MPI_Comm comm), (comm))
LET_GO_BEFORE(Bcast, (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
              (buffer, count, type, root, comm))
LET_GO_BEFORE(Allreduce,
              (const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
              (from, to, count, type, op, comm))
LET_GO_BEFORE(Reduce,
              (const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm),
              (from, to, count, type, op, root, comm))
LET_GO_BEFORE(Gather,
              (const void* from, int number, MPI_Datatype kind, void* to, int count,
               MPI_Datatype type, int root, MPI_Comm comm),
              (from, number, kind, to, count, type, root, comm))
LET_GO_BEFORE(Gatherv,
              (const void* from, int number, MPI_Datatype kind, void* to, const int counts[],
               const int places[], MPI_Datatype type, int root, MPI_Comm comm),
              (from, number, kind, to, counts, places, type, root, comm))
LET_GO_BEFORE(Scatter,
              (const void* from, int number, MPI_Datatype kind, void* to, int count,
               MPI_Datatype type, int root, MPI_Comm comm),
              (from, number, kind, to, count, type, root, comm))
LET_GO_BEFORE(Allgather,
              (const void* from, int number, MPI_Datatype kind, void* to, int count,
               MPI_Datatype type, MPI_Comm comm),
              (from, number, kind, to, count, type, comm))
LET_GO_BEFORE(Comm_dup, (MPI_Comm comm, MPI_Comm* made), (comm, made))
LET_GO_BEFORE(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made),
              (comm, color, key, made))
LET_GO_BEFORE(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made),
              (comm, type, key, info, made))
LET_GO_BEFORE(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made),
              (comm, group, tag, made))
LET_GO_BEFORE(Comm_free, (MPI_Comm * comm), (comm))
LET_GO_BEFORE(Dist_graph_create_adjacent,
              (MPI_Comm comm, int in, const int sources[], const int weights_in[], int out,
               const int targets[], const int weights_out[], MPI_Info info, int reorder,
               MPI_Comm* made),
              (comm, in, sources, weights_in, out, targets, weights_out, info, reorder, made))
LET_GO_BEFORE(Win_allocate,
              (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* window),
              (size, unit, info, comm, base, window))
LET_GO_BEFORE(Win_allocate_shared,
              (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* window),
              (size, unit, info, comm, base, window))
LET_GO_BEFORE(Win_create,
              (void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* window),
              (base, size, unit, info, comm, window))
LET_GO_BEFORE(Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win* window),
              (info, comm, window))
LET_GO_BEFORE(Win_free, (MPI_Win * window), (window))
LET_GO_BEFORE(Win_fence, (int assertion, MPI_Win window), (assertion, window))
LET_GO_BEFORE(Win_start, (MPI_Group group, int assertion, MPI_Win window),
              (group, assertion, window))
LET_GO_BEFORE(Win_complete, (MPI_Win window), (window))
LET_GO_BEFORE(Win_wait, (MPI_Win window), (window))
LET_GO_BEFORE(Win_lock, (int type, int rank, int assertion, MPI_Win window),
              (type, rank, assertion, window))
LET_GO_BEFORE(Win_unlock, (int rank, MPI_Win window), (rank, window))
LET_GO_BEFORE(Win_lock_all, (int assertion, MPI_Win window), (assertion, window))
LET_GO_BEFORE(Win_unlock_all, (MPI_Win window), (window))
LET_GO_BEFORE(Win_flush, (int rank, MPI_Win window), (rank, window))

}  // extern "C"
