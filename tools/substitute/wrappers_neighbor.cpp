// Neighbourhood collectives, and the ends of their communicators.

#include "neighborhood.hpp"
#include "requests.hpp"
#include "wrappers.hpp"

namespace {

using substitute::Data;
using substitute::extent_of;
using substitute::Inside;
using substitute::NeighborData;
using substitute::Neighborhood;
using substitute::Neighbors;
using substitute::Requests;

// How a collective is carried out. `native` is MPI's own, called with another request, or with any
// where it has none; `fill` says what goes where.
template <class Native, class Fill>
int blocking(const char* name, Native&& native, Fill&& fill, MPI_Comm comm) {
  const auto now = [&] { return native(nullptr); };
  if (!Inside::is_outside()) return now();
  const Inside inside;
  Neighborhood* const here = Neighborhood::of(comm);
  return here == nullptr ? now() : here->call(name, now, fill);
}
template <class Native, class Fill>
int nonblocking(const char* name, Native&& native, Fill&& fill, MPI_Comm comm,
                MPI_Request* request) {
  if (!Inside::is_outside()) return native(request);
  const Inside inside;
  return Requests::start(name, comm, request, native, fill);
}
#ifdef HAS_MPI_Neighbor_alltoallw_init
template <class Native, class Fill>
int persistent(const char* name, Native&& native, Fill&& fill, MPI_Comm comm,
               MPI_Request* request) {
  if (!Inside::is_outside()) return native(request);
  const Inside inside;
  return Requests::init(name, comm, request, native, fill);
}
#endif

/// The same number for each neighbour, one after another.
template <class Count>
void fill_alike(std::vector<Data>& all, const void* buffer, Count count, MPI_Datatype type) {
  const MPI_Aint step = static_cast<MPI_Aint>(count) * extent_of(type);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = Data::of(buffer, static_cast<MPI_Aint>(i) * step, count, type);
}
/// The same for all neighbours.
template <class Count>
void fill_same(std::vector<Data>& all, const void* buffer, Count count, MPI_Datatype type) {
  const Data data = Data::of(buffer, count, type);
  for (Data& one : all) one = data;
}
/// What is said of neighbours that are no ranks need not make sense.
template <class Count, class Place>
void fill_each(const std::vector<int>& ranks, std::vector<Data>& all, const void* buffer,
               const Count* counts, const Place* places, MPI_Datatype type) {
  const MPI_Aint extent = extent_of(type);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (ranks[i] >= 0)
      all[i] = Data::of(buffer, static_cast<MPI_Aint>(places[i]) * extent, counts[i], type);
}
template <class Count>
void fill_each(const std::vector<int>& ranks, std::vector<Data>& all, const void* buffer,
               const Count* counts, const MPI_Aint* places, const MPI_Datatype* types) {
  for (std::size_t i = 0; i < all.size(); ++i)
    if (ranks[i] >= 0) all[i] = Data::of(buffer, places[i], counts[i], types[i]);
}

/// A program may free one in a callback, too, which MPI calls.
void forget(MPI_Comm comm) {
  Neighborhood::forget(comm);
  Requests::forget_comm(comm);
}

}  // namespace

#define SUBSTITUTE_NEIGHBOR(name, fill_out, fill_in, done, ...)                            \
  SUBSTITUTE(name) {                                                                       \
    return done(                                                                           \
        "MPI_" #name, [&]([[maybe_unused]] MPI_Request* request) { return BEHIND(name); }, \
        [&]([[maybe_unused]] const Neighbors& ranks, NeighborData& data) {                 \
          fill_out;                                                                        \
          fill_in;                                                                         \
        },                                                                                 \
        __VA_ARGS__);                                                                      \
  }
// The collectives that begin (Neighbor_, Ineighbor_) and end so.
#define SUBSTITUTE_NEIGHBORS(begins, ends, ...)                                                    \
  SUBSTITUTE_NEIGHBOR(begins##allgather##ends, fill_same(data.out, sendbuf, sendcount, sendtype),  \
                      fill_alike(data.in, recvbuf, recvcount, recvtype), __VA_ARGS__)              \
  SUBSTITUTE_NEIGHBOR(begins##allgatherv##ends, fill_same(data.out, sendbuf, sendcount, sendtype), \
                      fill_each(ranks.in, data.in, recvbuf, recvcounts, displs, recvtype),         \
                      __VA_ARGS__)                                                                 \
  SUBSTITUTE_NEIGHBOR(begins##alltoall##ends, fill_alike(data.out, sendbuf, sendcount, sendtype),  \
                      fill_alike(data.in, recvbuf, recvcount, recvtype), __VA_ARGS__)              \
  SUBSTITUTE_NEIGHBOR(begins##alltoallv##ends,                                                     \
                      fill_each(ranks.out, data.out, sendbuf, sendcounts, sdispls, sendtype),      \
                      fill_each(ranks.in, data.in, recvbuf, recvcounts, rdispls, recvtype),        \
                      __VA_ARGS__)                                                                 \
  SUBSTITUTE_NEIGHBOR(begins##alltoallw##ends,                                                     \
                      fill_each(ranks.out, data.out, sendbuf, sendcounts, sdispls, sendtypes),     \
                      fill_each(ranks.in, data.in, recvbuf, recvcounts, rdispls, recvtypes),       \
                      __VA_ARGS__)

SUBSTITUTE_NEIGHBORS(Neighbor_, , blocking, comm)
SUBSTITUTE_NEIGHBORS(Ineighbor_, , nonblocking, comm, request)
#ifdef HAS_MPI_Neighbor_alltoallw_c
SUBSTITUTE_NEIGHBORS(Neighbor_, _c, blocking, comm)
SUBSTITUTE_NEIGHBORS(Ineighbor_, _c, nonblocking, comm, request)
#endif
#ifdef HAS_MPI_Neighbor_alltoallw_init
SUBSTITUTE_NEIGHBORS(Neighbor_, _init, persistent, comm, request)
#endif
#ifdef HAS_MPI_Neighbor_alltoallw_init_c
SUBSTITUTE_NEIGHBORS(Neighbor_, _init_c, persistent, comm, request)
#endif

SUBSTITUTE(Comm_free) {
  const Inside inside;
  forget(*comm);
  return BEHIND(Comm_free);
}

SUBSTITUTE(Comm_disconnect) {
  const Inside inside;
  forget(*comm);
  return BEHIND(Comm_disconnect);
}
