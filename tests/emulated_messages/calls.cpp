// MPI's calls about messages, as a program makes them: each is carried out by the layer. What a
// request is not the layer's is MPI's, but the program may be told later that it is complete.

#include "chance.hpp"
#include "requests.hpp"

#include <mpi_calls/calls.hpp>

#include <algorithm>
#include <thread>

using namespace emulated;

namespace {

/// Whether the program is told that something is not over which is.
bool not_yet() {
  return dice(4) == 0;
}

Call sent(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
          bool synchronous = false) {
  return {true, const_cast<void*>(buffer), count, type, peer, tag, comm, synchronous};
}
Call received(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
  return {false, buffer, count, type, peer, tag, comm};
}

int begin(const std::vector<Call>& calls, bool persistent, MPI_Request* request) {
  const Lock lock(one_at_a_time());
  Request::make(calls, persistent, request);
  return MPI_SUCCESS;
}

/// Whether a request that is not the layer's has completed; does not end it.
bool mpi_has_completed(MPI_Request request) {
  int done = 0;
  PMPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
  return done != 0;
}

bool is_active(MPI_Request request) {
  if (request == MPI_REQUEST_NULL) return false;
  const Request* const mine = Request::of(request);
  return mine == nullptr || mine->active();
}
bool has_completed(MPI_Request request) {
  if (!is_active(request)) return true;
  const Request* const mine = Request::of(request);
  return mine != nullptr ? mine->complete() : mpi_has_completed(request);
}

/// Whether the program is told so.
bool shows_completed(MPI_Request request) {
  return !is_active(request) || (has_completed(request) && !not_yet());
}

/// Ends a request that is complete or not active.
int finish(MPI_Request* request, MPI_Status* status) {
  Request* const mine = *request == MPI_REQUEST_NULL ? nullptr : Request::of(*request);
  int done = 0;
  // For one of the layer's requests that is not active MPI gives the empty status.
  if (mine == nullptr || !mine->active()) return PMPI_Test(request, &done, status);
  PMPI_Test(request, &done, status);
  const int error = mine->finish(status);
  if (!mine->persistent()) Request::forget(request);
  return error;
}

/// Calls `done` until it is true; every call lets messages come further.
template <class Done>
void wait_until(const Done& done) {
  for (;;) {
    {
      const Lock lock(one_at_a_time());
      Message::progress();
      if (done()) return;
    }
    std::this_thread::yield();
  }
}

// ---- where messages have tags of the layer's own: partitions and neighbours ----------------

/// More than any tag of the library's (comm_context.cpp).
constexpr int tags = 1 << 18;

struct Edges {
  std::vector<int> sources, targets;
  explicit Edges(MPI_Comm comm) {
    int in = 0, out = 0, weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    sources.resize(static_cast<std::size_t>(in));
    targets.resize(static_cast<std::size_t>(out));
    std::vector<int> weights(sources.size() + targets.size() + 1);
    PMPI_Dist_graph_neighbors(comm, in, sources.data(), weights.data(), out, targets.data(),
                              weights.data() + in);
  }
};

/// A message for each edge of a graph. Several edges between the same two ranks are told apart by
/// their order.
std::vector<Call> neighbor_calls(const void* from, const int send_counts[], const MPI_Aint begins[],
                                 const MPI_Datatype send_types[], void* to,
                                 const int receive_counts[], const MPI_Aint ends[],
                                 const MPI_Datatype receive_types[], MPI_Comm comm) {
  const Lock lock(one_at_a_time());
  const Edges edges(comm);
  const auto number = [](const std::vector<int>& peers, std::size_t i) {
    return static_cast<int>(
        std::count(peers.begin(), peers.begin() + static_cast<long>(i), peers[i]));
  };
  const auto at = [](const void* base, MPI_Aint offset) {
    return base == MPI_BOTTOM ? reinterpret_cast<char*>(offset)
                              : static_cast<char*>(const_cast<void*>(base)) + offset;
  };
  std::vector<Call> calls;
  for (std::size_t i = 0; i < edges.sources.size(); ++i)
    calls.push_back(received(at(to, ends[i]), receive_counts[i], receive_types[i], edges.sources[i],
                             10 * tags + number(edges.sources, i), comm));
  for (std::size_t i = 0; i < edges.targets.size(); ++i)
    calls.push_back(sent(at(from, begins[i]), send_counts[i], send_types[i], edges.targets[i],
                         10 * tags + number(edges.targets, i), comm));
  if (edges.sources.size() > 1 && fault("two neighbours mixed up"))
    std::swap(calls[0].buffer, calls[1].buffer);
  return calls;
}

}  // namespace

// ---- sends and receives --------------------------------------------------------------------

#define SENT sent(buf, count, datatype, dest, tag, comm)
#define RECEIVED received(buf, count, datatype, source, tag, comm)

int WRAPPED(Isend) {
  return begin({SENT}, false, request);
}
int WRAPPED(Issend) {
  return begin({sent(buf, count, datatype, dest, tag, comm, true)}, false, request);
}
int WRAPPED(Irecv) {
  return begin({RECEIVED}, false, request);
}
int WRAPPED(Send_init) {
  return begin({SENT}, true, request);
}
int WRAPPED(Recv_init) {
  return begin({RECEIVED}, true, request);
}
int WRAPPED(Send) {
  MPI_Request request = MPI_REQUEST_NULL;
  begin({SENT}, false, &request);
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}
int WRAPPED(Recv) {
  MPI_Request request = MPI_REQUEST_NULL;
  begin({RECEIVED}, false, &request);
  return MPI_Wait(&request, status);
}
int WRAPPED(Sendrecv) {
  MPI_Request requests[2];
  begin({received(recvbuf, recvcount, recvtype, source, recvtag, comm)}, false, &requests[0]);
  begin({sent(sendbuf, sendcount, sendtype, dest, sendtag, comm)}, false, &requests[1]);
  const int error = MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  return std::max(error, MPI_Wait(&requests[0], status));
}

int WRAPPED(Start) {
  const Lock lock(one_at_a_time());
  Request* const mine = Request::of(*request);
  if (mine == nullptr) return NATIVE(Start);
  mine->start();
  return MPI_SUCCESS;
}
int WRAPPED(Startall) {
  int error = MPI_SUCCESS;
  for (int i = 0; i < count; ++i) error = std::max(error, MPI_Start(&array_of_requests[i]));
  return error;
}

// ---- completion ----------------------------------------------------------------------------

int WRAPPED(Test) {
  const Lock lock(one_at_a_time());
  Message::progress();
  *flag = shows_completed(*request) ? 1 : 0;
  return *flag != 0 ? finish(request, status) : MPI_SUCCESS;
}
int WRAPPED(Testany) {
  const Lock lock(one_at_a_time());
  Message::progress();
  std::vector<int> over;
  bool any = false;
  for (int i = 0; i < count; ++i)
    if (is_active(array_of_requests[i])) {
      any = true;
      if (has_completed(array_of_requests[i])) over.push_back(i);
    }
  *index = MPI_UNDEFINED;
  *flag = any ? 0 : 1;
  if (!any) {
    MPI_Request none = MPI_REQUEST_NULL;
    return PMPI_Test(&none, flag, status);
  }
  if (over.empty() || not_yet()) return MPI_SUCCESS;
  *flag = 1;
  *index = over[dice(static_cast<unsigned>(over.size()))];
  return finish(&array_of_requests[*index], status);
}
int WRAPPED(Testall) {
  const Lock lock(one_at_a_time());
  Message::progress();
  *flag = std::all_of(array_of_requests, array_of_requests + count, has_completed) &&
          (std::none_of(array_of_requests, array_of_requests + count, is_active) || !not_yet());
  if (*flag == 0) return MPI_SUCCESS;
  int error = MPI_SUCCESS;
  for (int i = 0; i < count; ++i) {
    const bool ignored = array_of_statuses == MPI_STATUSES_IGNORE;
    error = std::max(
        error, finish(&array_of_requests[i], ignored ? MPI_STATUS_IGNORE : &array_of_statuses[i]));
  }
  return error;
}
/// Waits by testing again and again.
#define WAITS(name, test)                       \
  int WRAPPED(name) {                           \
    int error = MPI_SUCCESS;                    \
    wait_until([&] {                            \
      int done = 0;                             \
      int* const flag = &done;                  \
      error = MPI_##test(ARGUMENTS(test));      \
      return done != 0 || error != MPI_SUCCESS; \
    });                                         \
    return error;                               \
  }
WAITS(Wait, Test)
WAITS(Waitall, Testall)
WAITS(Waitany, Testany)
int WRAPPED(Waitsome) {
  const bool ignored = array_of_statuses == MPI_STATUSES_IGNORE;
  const int error = MPI_Waitany(incount, array_of_requests, array_of_indices,
                                ignored ? MPI_STATUS_IGNORE : &array_of_statuses[0]);
  *outcount = array_of_indices[0] == MPI_UNDEFINED ? MPI_UNDEFINED : 1;
  return error;
}
int WRAPPED(Testsome) {
  const bool ignored = array_of_statuses == MPI_STATUSES_IGNORE;
  int flag = 0;
  const int error = MPI_Testany(incount, array_of_requests, array_of_indices, &flag,
                                ignored ? MPI_STATUS_IGNORE : &array_of_statuses[0]);
  *outcount = flag == 0 ? 0 : array_of_indices[0] == MPI_UNDEFINED ? MPI_UNDEFINED : 1;
  return error;
}
int WRAPPED(Request_get_status) {
  const Lock lock(one_at_a_time());
  if (request == MPI_REQUEST_NULL || Request::of(request) == nullptr)
    return NATIVE(Request_get_status);
  Message::progress();
  *flag = shows_completed(request) ? 1 : 0;
  return MPI_SUCCESS;
}
int WRAPPED(Request_free) {
  const Lock lock(one_at_a_time());
  if (Request::of(*request) == nullptr) return NATIVE(Request_free);
  Request::forget(request);
  return MPI_SUCCESS;
}
int WRAPPED(Cancel) {
  const Lock lock(one_at_a_time());
  Request* const mine = Request::of(*request);
  if (mine == nullptr) return NATIVE(Cancel);
  mine->cancel();
  return MPI_SUCCESS;
}

int WRAPPED(Iprobe) {
  const Lock lock(one_at_a_time());
  Message::progress();
  Message::post_receives(comm);
  *flag = 0;
  return not_yet() ? MPI_SUCCESS : NATIVE(Iprobe);
}
int WRAPPED(Win_test) {
  const Lock lock(one_at_a_time());
  Message::progress();
  *flag = 0;
  return not_yet() ? MPI_SUCCESS : NATIVE(Win_test);
}

// ---- partitions ----------------------------------------------------------------------------

#ifdef HAS_MPI_Psend_init

static std::vector<Call> in_parts(const Call& whole, int parts, MPI_Count each) {
  MPI_Aint least = 0, extent = 0;
  PMPI_Type_get_extent(whole.type, &least, &extent);
  std::vector<Call> calls(static_cast<std::size_t>(parts), whole);
  for (int part = 0; part < parts; ++part) {
    Call& call = calls[static_cast<std::size_t>(part)];
    call.buffer = static_cast<char*>(whole.buffer) + part * each * extent;
    call.count = static_cast<int>(each);
    call.tag += (1 + part) * tags;
    call.ready = !call.sends;
  }
  return calls;
}

int WRAPPED(Psend_init) {
  static_cast<void>(info);
  return begin(in_parts(sent(buf, 0, datatype, dest, tag, comm), partitions, count), true, request);
}
int WRAPPED(Precv_init) {
  static_cast<void>(info);
  return begin(in_parts(received(buf, 0, datatype, source, tag, comm), partitions, count), true,
               request);
}
int WRAPPED(Pready_range) {
  const Lock lock(one_at_a_time());
  Request::of(request)->make_ready(partition_low, partition_high);
  return MPI_SUCCESS;
}
int WRAPPED(Pready) {
  return MPI_Pready_range(partition, partition, request);
}
int WRAPPED(Parrived) {
  const Lock lock(one_at_a_time());
  Message::progress();
  *flag = Request::of(request)->arrived(partition) && !not_yet();
  return MPI_SUCCESS;
}

#endif

// ---- neighbourhood collectives -------------------------------------------------------------

#define NEIGHBORS                                                                                  \
  neighbor_calls(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, \
                 comm)

int WRAPPED(Ineighbor_alltoallw) {
  return begin(NEIGHBORS, false, request);
}
int WRAPPED(Neighbor_alltoallw) {
  MPI_Request request = MPI_REQUEST_NULL;
  begin(NEIGHBORS, false, &request);
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}
#ifdef HAS_MPI_Neighbor_alltoallw_init
int WRAPPED(Neighbor_alltoallw_init) {
  static_cast<void>(info);
  return begin(NEIGHBORS, true, request);
}
#endif
