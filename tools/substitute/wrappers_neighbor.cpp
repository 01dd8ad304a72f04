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

template <class Native, class Fill>
int blocking(Native&& native, Fill&& fill, const char* name, MPI_Comm comm) {
  if (!Inside::is_outside()) return native();
  const Inside inside;
  Neighborhood* const here = Neighborhood::of(comm);
  return here == nullptr ? native() : here->call(name, native, fill);
}
template <class Native, class Fill>
int nonblocking(Native&& native, Fill&& fill, const char* name, MPI_Comm comm,
                MPI_Request* request) {
  if (!Inside::is_outside()) return native(request);
  const Inside inside;
  return Requests::start(name, comm, request, native, fill);
}
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define SUBSTITUTE_PERSISTENT
template <class Native, class Fill>
int persistent(Native&& native, Fill&& fill, const char* name, MPI_Comm comm, MPI_Info,
               MPI_Request* request) {
  if (!Inside::is_outside()) return native(request);
  const Inside inside;
  return Requests::init(name, comm, request, native, fill);
}
#endif

/// As many for each neighbour, one after another.
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

// Each function: how it begins (Neighbor_, Ineighbor_) and ends, its counts and places (of type
// int, or large ones), what comes after the communicator among its parameters, with what MPI's own
// is called for that, and what is done.
#define SUBSTITUTE_NEIGHBORS(begins, ends, Count, Place, parameters, given, passed, called, done)  \
  SUBSTITUTE_EXPORT int MPI_##begins##allgather##ends(                                             \
      const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf, Count recvcount, \
      MPI_Datatype recvtype, MPI_Comm comm parameters) {                                           \
    return done(                                                                                   \
        [&] given {                                                                                \
          return PMPI(begins##allgather##ends)(sendbuf, sendcount, sendtype, recvbuf, recvcount,   \
                                               recvtype, comm passed);                             \
        },                                                                                         \
        [&](const Neighbors&, NeighborData& data) {                                                \
          fill_same(data.out, sendbuf, sendcount, sendtype);                                       \
          fill_alike(data.in, recvbuf, recvcount, recvtype);                                       \
        },                                                                                         \
        "MPI_" #begins "allgather" #ends, comm called);                                            \
  }                                                                                                \
  SUBSTITUTE_EXPORT int MPI_##begins##allgatherv##ends(                                            \
      const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,                  \
      const Count recvcounts[], const Place displs[], MPI_Datatype recvtype,                       \
      MPI_Comm comm parameters) {                                                                  \
    return done(                                                                                   \
        [&] given {                                                                                \
          return PMPI(begins##allgatherv##ends)(sendbuf, sendcount, sendtype, recvbuf, recvcounts, \
                                                displs, recvtype, comm passed);                    \
        },                                                                                         \
        [&](const Neighbors& ranks, NeighborData& data) {                                          \
          fill_same(data.out, sendbuf, sendcount, sendtype);                                       \
          fill_each(ranks.in, data.in, recvbuf, recvcounts, displs, recvtype);                     \
        },                                                                                         \
        "MPI_" #begins "allgatherv" #ends, comm called);                                           \
  }                                                                                                \
  SUBSTITUTE_EXPORT int MPI_##begins##alltoall##ends(                                              \
      const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf, Count recvcount, \
      MPI_Datatype recvtype, MPI_Comm comm parameters) {                                           \
    return done(                                                                                   \
        [&] given {                                                                                \
          return PMPI(begins##alltoall##ends)(sendbuf, sendcount, sendtype, recvbuf, recvcount,    \
                                              recvtype, comm passed);                              \
        },                                                                                         \
        [&](const Neighbors&, NeighborData& data) {                                                \
          fill_alike(data.out, sendbuf, sendcount, sendtype);                                      \
          fill_alike(data.in, recvbuf, recvcount, recvtype);                                       \
        },                                                                                         \
        "MPI_" #begins "alltoall" #ends, comm called);                                             \
  }                                                                                                \
  SUBSTITUTE_EXPORT int MPI_##begins##alltoallv##ends(                                             \
      const void* sendbuf, const Count sendcounts[], const Place sdispls[], MPI_Datatype sendtype, \
      void* recvbuf, const Count recvcounts[], const Place rdispls[], MPI_Datatype recvtype,       \
      MPI_Comm comm parameters) {                                                                  \
    return done(                                                                                   \
        [&] given {                                                                                \
          return PMPI(begins##alltoallv##ends)(sendbuf, sendcounts, sdispls, sendtype, recvbuf,    \
                                               recvcounts, rdispls, recvtype, comm passed);        \
        },                                                                                         \
        [&](const Neighbors& ranks, NeighborData& data) {                                          \
          fill_each(ranks.out, data.out, sendbuf, sendcounts, sdispls, sendtype);                  \
          fill_each(ranks.in, data.in, recvbuf, recvcounts, rdispls, recvtype);                    \
        },                                                                                         \
        "MPI_" #begins "alltoallv" #ends, comm called);                                            \
  }                                                                                                \
  SUBSTITUTE_EXPORT int MPI_##begins##alltoallw##ends(                                             \
      const void* sendbuf, const Count sendcounts[], const MPI_Aint sdispls[],                     \
      const MPI_Datatype sendtypes[], void* recvbuf, const Count recvcounts[],                     \
      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm parameters) {        \
    return done(                                                                                   \
        [&] given {                                                                                \
          return PMPI(begins##alltoallw##ends)(sendbuf, sendcounts, sdispls, sendtypes, recvbuf,   \
                                               recvcounts, rdispls, recvtypes, comm passed);       \
        },                                                                                         \
        [&](const Neighbors& ranks, NeighborData& data) {                                          \
          fill_each(ranks.out, data.out, sendbuf, sendcounts, sdispls, sendtypes);                 \
          fill_each(ranks.in, data.in, recvbuf, recvcounts, rdispls, recvtypes);                   \
        },                                                                                         \
        "MPI_" #begins "alltoallw" #ends, comm called);                                            \
  }

#define SUBSTITUTE_NOTHING
#define SUBSTITUTE_REQUEST , MPI_Request* request
#define SUBSTITUTE_INFO , MPI_Info info, MPI_Request *request
#define SUBSTITUTE_TO , to
#define SUBSTITUTE_INFO_TO , info, to
#define SUBSTITUTE_CALL , request
#define SUBSTITUTE_CALL_INFO , info, request

#define SUBSTITUTE_ALL_NEIGHBORS(suffix, Count, Place)                                           \
  SUBSTITUTE_NEIGHBORS(Neighbor_, suffix, Count, Place, SUBSTITUTE_NOTHING, (),                  \
                       SUBSTITUTE_NOTHING, SUBSTITUTE_NOTHING, blocking)                         \
  SUBSTITUTE_NEIGHBORS(Ineighbor_, suffix, Count, Place, SUBSTITUTE_REQUEST, (MPI_Request * to), \
                       SUBSTITUTE_TO, SUBSTITUTE_CALL, nonblocking)

SUBSTITUTE_ALL_NEIGHBORS(, int, int)
#if MPI_VERSION >= 4
SUBSTITUTE_ALL_NEIGHBORS(_c, MPI_Count, MPI_Aint)
#endif

#if defined(SUBSTITUTE_PERSISTENT)
SUBSTITUTE_NEIGHBORS(Neighbor_, _init, int, int, SUBSTITUTE_INFO, (MPI_Request * to),
                     SUBSTITUTE_INFO_TO, SUBSTITUTE_CALL_INFO, persistent)
#endif
#if MPI_VERSION >= 4
SUBSTITUTE_NEIGHBORS(Neighbor_, _init_c, MPI_Count, MPI_Aint, SUBSTITUTE_INFO, (MPI_Request * to),
                     SUBSTITUTE_INFO_TO, SUBSTITUTE_CALL_INFO, persistent)
#endif

SUBSTITUTE_EXPORT int MPI_Comm_free(MPI_Comm* comm) {
  const Inside inside;
  forget(*comm);
  return PMPI(Comm_free)(comm);
}

SUBSTITUTE_EXPORT int MPI_Comm_disconnect(MPI_Comm* comm) {
  const Inside inside;
  forget(*comm);
  return PMPI(Comm_disconnect)(comm);
}
