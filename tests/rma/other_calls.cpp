// All other calls that the library makes while windows live: operations under way go on in them,
// and what a rank does there for others is told to the watch.

#include "operations.hpp"
#include "settings.hpp"
#include "watch.hpp"

#include <mpi_calls/calls.hpp>

using namespace emulated;

namespace {

/// Others may learn of what has been done so far. By chance memory and windows become equal.
void speaks() {
  for (const auto& [handle, window] : windows())
    if (coherent() || one_in(4)) window->synchronise("a message");
  speak();
  move_on();
  done();
}

/// Others may have told this rank what they have done.
void hears() {
  listen();
  if (!coherent()) return;
  for (const auto& [handle, window] : windows()) window->synchronise("a message");
}

/// Ends operations that these requests are of: if the program waits for them, or by chance.
void serve(int count, MPI_Request* requests, bool waits) {
  for (int i = 0; i < count; ++i)
    if (waits || one_in(2)) complete_here(requests[i]);
}

void looks() {
  move_on();
  looked();
}

/// What the empty messages of the library say: of a channel's tags the even ones tell of arrivals,
/// and the odd ones are permits.
const char* about(int count, int tag) {
  return count > 0 ? "full" : tag % 2 == 0 ? "arrival" : "permit";
}

}  // namespace

// ---- the beginning ---------------------------------------------------------------------------

int WRAPPED(Init) {
  const int result = NATIVE(Init);
  begin_watch();
  return result;
}

int WRAPPED(Init_thread) {
  const int result = NATIVE(Init_thread);
  begin_watch();
  return result;
}

// ---- messages --------------------------------------------------------------------------------

int WRAPPED(Isend) {
  *request = MPI_REQUEST_NULL;
  if (forgotten("MPI_Isend", about(count, tag))) return MPI_SUCCESS;
  speaks();
  return NATIVE(Isend);
}

int WRAPPED(Irecv) {
  *request = MPI_REQUEST_NULL;
  if (forgotten("MPI_Irecv", about(count, tag))) return MPI_SUCCESS;
  speaks();
  return NATIVE(Irecv);
}

int WRAPPED(Ibarrier) {
  *request = MPI_REQUEST_NULL;
  if (forgotten("MPI_Ibarrier", "")) return MPI_SUCCESS;
  speaks();
  return NATIVE(Ibarrier);
}

/// As a rank that looks, so that those who wait in vain are found.
int WRAPPED(Barrier) {
  speaks();
  MPI_Request request = MPI_REQUEST_NULL;
  const int result = PMPI_Ibarrier(comm, &request);
  for (int over = 0; over == 0; PMPI_Test(&request, &over, MPI_STATUS_IGNORE)) wait_a_little();
  hears();
  return result;
}

/// A call that looks whether others have done something.
#define LOOKS(name, serve)           \
  int WRAPPED(name) {                \
    looks();                         \
    serve;                           \
    const int result = NATIVE(name); \
    hears();                         \
    return result;                   \
  }
/// A call in which a rank may block: MPI carries on meanwhile with what is over for this rank.
#define BLOCKS(name, serve)          \
  int WRAPPED(name) {                \
    speaks();                        \
    settle();                        \
    serve;                           \
    const int result = NATIVE(name); \
    hears();                         \
    return result;                   \
  }

// Calls that may tell others something.
BEFORE(Issend, speaks())
BEFORE(Start, speaks())
BEFORE(Startall, speaks())
BEFORE(Iallreduce, speaks())
BEFORE(Ibcast, speaks())
BEFORE(Iallgather, speaks())
BEFORE(Iexscan, speaks())

LOOKS(Test, serve(1, request, false))
LOOKS(Testall, serve(count, array_of_requests, false))
LOOKS(Testany, serve(count, array_of_requests, false))
LOOKS(Iprobe, )

BLOCKS(Wait, serve(1, request, true))
BLOCKS(Waitall, serve(count, array_of_requests, true))
BLOCKS(Send, )
BLOCKS(Recv, )
BLOCKS(Bcast, )
BLOCKS(Allreduce, )
BLOCKS(Comm_dup, )
BLOCKS(Comm_split, )
BLOCKS(Comm_split_type, )
BLOCKS(Comm_create_group, )
BLOCKS(Comm_free, )
BLOCKS(Win_allocate_shared, )
BLOCKS(Finalize, )
