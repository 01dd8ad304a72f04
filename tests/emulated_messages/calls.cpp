// MPI's calls about messages, as a program makes them: each is carried out by the layer. What a
// request is not the layer's is MPI's, but the program may be told later that it is complete.

#include "chance.hpp"
#include "requests.hpp"

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

int begin(const Call& call, bool persistent, MPI_Request* request) {
  const Lock lock(one_at_a_time());
  Request::make({call}, persistent, request);
  return MPI_SUCCESS;
}

/// Of a request that is not the layer's, without ending it.
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

/// Of one that is complete or not active.
int finish(MPI_Request* request, MPI_Status* status) {
  Request* const mine = *request == MPI_REQUEST_NULL ? nullptr : Request::of(*request);
  int done = 0;
  // Of the layer's this is the status of a request that is not active: empty.
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

extern "C" {

// ---- sends and receives --------------------------------------------------------------------

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return begin(sent(buffer, count, type, peer, tag, comm), false, request);
}
int MPI_Issend(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return begin(sent(buffer, count, type, peer, tag, comm, true), false, request);
}
int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return begin(received(buffer, count, type, peer, tag, comm), false, request);
}
int MPI_Send_init(const void* buffer, int count, MPI_Datatype type, int peer, int tag,
                  MPI_Comm comm, MPI_Request* request) {
  return begin(sent(buffer, count, type, peer, tag, comm), true, request);
}
int MPI_Recv_init(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  return begin(received(buffer, count, type, peer, tag, comm), true, request);
}
int MPI_Send(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(buffer, count, type, peer, tag, comm, &request);
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}
int MPI_Recv(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
             MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(buffer, count, type, peer, tag, comm, &request);
  return MPI_Wait(&request, status);
}
int MPI_Sendrecv(const void* out, int count_out, MPI_Datatype type_out, int to, int tag_out,
                 void* in, int count_in, MPI_Datatype type_in, int from, int tag_in, MPI_Comm comm,
                 MPI_Status* status) {
  MPI_Request requests[2];
  MPI_Irecv(in, count_in, type_in, from, tag_in, comm, &requests[0]);
  MPI_Isend(out, count_out, type_out, to, tag_out, comm, &requests[1]);
  const int error = MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  return std::max(error, MPI_Wait(&requests[0], status));
}

int MPI_Start(MPI_Request* request) {
  const Lock lock(one_at_a_time());
  Request* const mine = Request::of(*request);
  if (mine == nullptr) return PMPI_Start(request);
  mine->start();
  return MPI_SUCCESS;
}
int MPI_Startall(int count, MPI_Request requests[]) {
  int error = MPI_SUCCESS;
  for (int i = 0; i < count; ++i) error = std::max(error, MPI_Start(&requests[i]));
  return error;
}

// ---- completion ----------------------------------------------------------------------------

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const Lock lock(one_at_a_time());
  Message::progress();
  *flag = shows_completed(*request) ? 1 : 0;
  return *flag != 0 ? finish(request, status) : MPI_SUCCESS;
}
int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  const Lock lock(one_at_a_time());
  Message::progress();
  std::vector<int> over;
  bool any = false;
  for (int i = 0; i < count; ++i)
    if (is_active(requests[i])) {
      any = true;
      if (has_completed(requests[i])) over.push_back(i);
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
  return finish(&requests[*index], status);
}
int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  const Lock lock(one_at_a_time());
  Message::progress();
  *flag = std::all_of(requests, requests + count, has_completed) &&
          (std::none_of(requests, requests + count, is_active) || !not_yet());
  if (*flag == 0) return MPI_SUCCESS;
  int error = MPI_SUCCESS;
  for (int i = 0; i < count; ++i) {
    const bool ignored = statuses == MPI_STATUSES_IGNORE;
    error = std::max(error, finish(&requests[i], ignored ? MPI_STATUS_IGNORE : &statuses[i]));
  }
  return error;
}
int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  int error = MPI_SUCCESS;
  wait_until([&] {
    int done = 0;
    error = MPI_Test(request, &done, status);
    return done != 0 || error != MPI_SUCCESS;
  });
  return error;
}
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  int error = MPI_SUCCESS;
  wait_until([&] {
    int done = 0;
    error = MPI_Testall(count, requests, &done, statuses);
    return done != 0 || error != MPI_SUCCESS;
  });
  return error;
}
int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  int error = MPI_SUCCESS;
  wait_until([&] {
    int done = 0;
    error = MPI_Testany(count, requests, index, &done, status);
    return done != 0 || error != MPI_SUCCESS;
  });
  return error;
}
int MPI_Waitsome(int count, MPI_Request requests[], int* number, int indices[],
                 MPI_Status statuses[]) {
  const bool ignored = statuses == MPI_STATUSES_IGNORE;
  const int error =
      MPI_Waitany(count, requests, indices, ignored ? MPI_STATUS_IGNORE : &statuses[0]);
  *number = indices[0] == MPI_UNDEFINED ? MPI_UNDEFINED : 1;
  return error;
}
int MPI_Testsome(int count, MPI_Request requests[], int* number, int indices[],
                 MPI_Status statuses[]) {
  const bool ignored = statuses == MPI_STATUSES_IGNORE;
  int flag = 0;
  const int error =
      MPI_Testany(count, requests, indices, &flag, ignored ? MPI_STATUS_IGNORE : &statuses[0]);
  *number = flag == 0 ? 0 : indices[0] == MPI_UNDEFINED ? MPI_UNDEFINED : 1;
  return error;
}
int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  const Lock lock(one_at_a_time());
  if (request == MPI_REQUEST_NULL || Request::of(request) == nullptr)
    return PMPI_Request_get_status(request, flag, status);
  Message::progress();
  *flag = shows_completed(request) ? 1 : 0;
  return MPI_SUCCESS;
}
int MPI_Request_free(MPI_Request* request) {
  const Lock lock(one_at_a_time());
  if (Request::of(*request) == nullptr) return PMPI_Request_free(request);
  Request::forget(request);
  return MPI_SUCCESS;
}
int MPI_Cancel(MPI_Request* request) {
  const Lock lock(one_at_a_time());
  Request* const mine = Request::of(*request);
  if (mine == nullptr) return PMPI_Cancel(request);
  mine->cancel();
  return MPI_SUCCESS;
}

int MPI_Iprobe(int peer, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  const Lock lock(one_at_a_time());
  Message::progress();
  Message::post_receives(comm);
  *flag = 0;
  return not_yet() ? MPI_SUCCESS : PMPI_Iprobe(peer, tag, comm, flag, status);
}
int MPI_Win_test(MPI_Win window, int* flag) {
  const Lock lock(one_at_a_time());
  Message::progress();
  *flag = 0;
  return not_yet() ? MPI_SUCCESS : PMPI_Win_test(window, flag);
}

// ---- partitions ----------------------------------------------------------------------------

#if MPI_VERSION >= 4

static std::vector<Call> partitions(const Call& whole, int parts, MPI_Count each) {
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

int MPI_Psend_init(const void* buffer, int parts, MPI_Count each, MPI_Datatype type, int peer,
                   int tag, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  const Lock lock(one_at_a_time());
  Request::make(partitions(sent(buffer, 0, type, peer, tag, comm), parts, each), true, request);
  return MPI_SUCCESS;
}
int MPI_Precv_init(void* buffer, int parts, MPI_Count each, MPI_Datatype type, int peer, int tag,
                   MPI_Comm comm, MPI_Info, MPI_Request* request) {
  const Lock lock(one_at_a_time());
  Request::make(partitions(received(buffer, 0, type, peer, tag, comm), parts, each), true, request);
  return MPI_SUCCESS;
}
int MPI_Pready_range(int first, int last, MPI_Request request) {
  const Lock lock(one_at_a_time());
  Request::of(request)->make_ready(first, last);
  return MPI_SUCCESS;
}
int MPI_Pready(int part, MPI_Request request) {
  return MPI_Pready_range(part, part, request);
}
int MPI_Parrived(MPI_Request request, int part, int* flag) {
  const Lock lock(one_at_a_time());
  Message::progress();
  *flag = Request::of(request)->arrived(part) && !not_yet();
  return MPI_SUCCESS;
}

#endif

// ---- neighbourhood collectives -------------------------------------------------------------

int MPI_Ineighbor_alltoallw(const void* from, const int send_counts[], const MPI_Aint begins[],
                            const MPI_Datatype send_types[], void* to, const int receive_counts[],
                            const MPI_Aint ends[], const MPI_Datatype receive_types[],
                            MPI_Comm comm, MPI_Request* request) {
  const Lock lock(one_at_a_time());
  Request::make(neighbor_calls(from, send_counts, begins, send_types, to, receive_counts, ends,
                               receive_types, comm),
                false, request);
  return MPI_SUCCESS;
}
int MPI_Neighbor_alltoallw(const void* from, const int send_counts[], const MPI_Aint begins[],
                           const MPI_Datatype send_types[], void* to, const int receive_counts[],
                           const MPI_Aint ends[], const MPI_Datatype receive_types[],
                           MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ineighbor_alltoallw(from, send_counts, begins, send_types, to, receive_counts, ends,
                          receive_types, comm, &request);
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}
#if MPI_VERSION >= 4
int MPI_Neighbor_alltoallw_init(const void* from, const int send_counts[], const MPI_Aint begins[],
                                const MPI_Datatype send_types[], void* to,
                                const int receive_counts[], const MPI_Aint ends[],
                                const MPI_Datatype receive_types[], MPI_Comm comm, MPI_Info,
                                MPI_Request* request) {
  const Lock lock(one_at_a_time());
  Request::make(neighbor_calls(from, send_counts, begins, send_types, to, receive_counts, ends,
                               receive_types, comm),
                true, request);
  return MPI_SUCCESS;
}
#endif

}  // extern "C"
