// All other calls that the library makes while windows live: operations under way go on in them,
// and what a rank does there for others is told to the watch.

#include "operations.hpp"
#include "settings.hpp"
#include "watch.hpp"

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
MPI_Request* served(int count, MPI_Request* requests, bool waits) {
  for (int i = 0; i < count; ++i)
    if (waits || one_in(2)) complete_here(requests[i]);
  return requests;
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

int MPI_Init(int* argc, char*** argv) {
  const int result = PMPI_Init(argc, argv);
  begin_watch();
  return result;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int result = PMPI_Init_thread(argc, argv, required, provided);
  begin_watch();
  return result;
}

// ---- messages --------------------------------------------------------------------------------

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  if (forgotten("MPI_Isend", about(count, tag))) return MPI_SUCCESS;
  speaks();
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  if (forgotten("MPI_Irecv", about(count, tag))) return MPI_SUCCESS;
  speaks();
  return PMPI_Irecv(buffer, count, type, from, tag, comm, request);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  if (forgotten("MPI_Ibarrier", "")) return MPI_SUCCESS;
  speaks();
  return PMPI_Ibarrier(comm, request);
}

/// As a rank that looks, so that those who wait in vain are found.
int MPI_Barrier(MPI_Comm comm) {
  speaks();
  MPI_Request request = MPI_REQUEST_NULL;
  const int result = PMPI_Ibarrier(comm, &request);
  for (int over = 0; over == 0; PMPI_Test(&request, &over, MPI_STATUS_IGNORE)) wait_a_little();
  hears();
  return result;
}

/// A call that may tell others something.
#define SPEAKS(name, parameters, arguments) \
  int MPI_##name parameters {               \
    speaks();                               \
    return PMPI_##name arguments;           \
  }
/// A call that looks whether others have done something.
#define LOOKS(name, parameters, arguments)    \
  int MPI_##name parameters {                 \
    looks();                                  \
    const int result = PMPI_##name arguments; \
    hears();                                  \
    return result;                            \
  }
/// A call in which a rank may block: MPI carries on meanwhile with what is over for this rank.
#define BLOCKS(name, parameters, arguments)   \
  int MPI_##name parameters {                 \
    speaks();                                 \
    settle();                                 \
    const int result = PMPI_##name arguments; \
    hears();                                  \
    return result;                            \
  }

SPEAKS(Issend,
       (const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
        MPI_Request* request),
       (buffer, count, type, to, tag, comm, request))
SPEAKS(Start, (MPI_Request * request), (request))
SPEAKS(Startall, (int count, MPI_Request requests[]), (count, requests))
SPEAKS(Iallreduce,
       (const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
        MPI_Request* request),
       (mine, all, count, type, op, comm, request))
SPEAKS(Ibcast,
       (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request),
       (buffer, count, type, root, comm, request))
SPEAKS(Iallgather,
       (const void* mine, int count, MPI_Datatype type, void* all, int each, MPI_Datatype of,
        MPI_Comm comm, MPI_Request* request),
       (mine, count, type, all, each, of, comm, request))
SPEAKS(Iexscan,
       (const void* mine, void* before, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
        MPI_Request* request),
       (mine, before, count, type, op, comm, request))

LOOKS(Test, (MPI_Request * request, int* flag, MPI_Status* status),
      (served(1, request, false), flag, status))
LOOKS(Testall, (int count, MPI_Request requests[], int* flag, MPI_Status statuses[]),
      (count, served(count, requests, false), flag, statuses))
LOOKS(Testany, (int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status),
      (count, served(count, requests, false), index, flag, status))
LOOKS(Iprobe, (int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status),
      (from, tag, comm, flag, status))

BLOCKS(Send, (const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm),
       (buffer, count, type, to, tag, comm))
BLOCKS(Recv,
       (void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
        MPI_Status* status),
       (buffer, count, type, from, tag, comm, status))
BLOCKS(Wait, (MPI_Request * request, MPI_Status* status), (served(1, request, true), status))
BLOCKS(Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]),
       (count, served(count, requests, true), statuses))
BLOCKS(Bcast, (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
       (buffer, count, type, root, comm))
BLOCKS(Allreduce,
       (const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
       (mine, all, count, type, op, comm))
BLOCKS(Comm_dup, (MPI_Comm comm, MPI_Comm* copy), (comm, copy))
BLOCKS(Comm_split, (MPI_Comm comm, int colour, int key, MPI_Comm* part), (comm, colour, key, part))
BLOCKS(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* part),
       (comm, type, key, info, part))
BLOCKS(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* part),
       (comm, group, tag, part))
BLOCKS(Comm_free, (MPI_Comm * comm), (comm))
BLOCKS(Win_allocate_shared,
       (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* window),
       (size, unit, info, comm, base, window))
BLOCKS(Finalize, (), ())
