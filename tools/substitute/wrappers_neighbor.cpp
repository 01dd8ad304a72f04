// Neighbourhood collectives, and the ends of their communicators.

#include "neighborhood.hpp"
#include "wrappers.hpp"

namespace {

using substitute::Data;
using substitute::extent_of;
using substitute::Inside;
using substitute::NeighborData;
using substitute::Neighborhood;
using substitute::Neighbors;

template <class Native, class Fill>
int neighbor_call(const char* name, MPI_Comm comm, Native&& native, Fill&& fill) {
  if (!Inside::is_outside()) return native();
  const Inside inside;
  Neighborhood* const here = Neighborhood::of(comm);
  return here == nullptr ? native() : here->call(name, native, fill);
}

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
template <class Count, class Place>
void fill_each(std::vector<Data>& all, const void* buffer, const Count* counts, const Place* places,
               MPI_Datatype type) {
  const MPI_Aint extent = extent_of(type);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = Data::of(buffer, static_cast<MPI_Aint>(places[i]) * extent, counts[i], type);
}
template <class Count>
void fill_each(std::vector<Data>& all, const void* buffer, const Count* counts,
               const MPI_Aint* places, const MPI_Datatype* types) {
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = Data::of(buffer, places[i], counts[i], types[i]);
}

}  // namespace

// One function with counts of type int, and one with those of type MPI_Count where MPI has it.
#define SUBSTITUTE_NEIGHBORS(suffix, Count, Place)                                                 \
  SUBSTITUTE_EXPORT int MPI_Neighbor_allgather##suffix(                                            \
      const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf, Count recvcount, \
      MPI_Datatype recvtype, MPI_Comm comm) {                                                      \
    return neighbor_call(                                                                          \
        "MPI_Neighbor_allgather", comm,                                                            \
        [&] {                                                                                      \
          return PMPI(Neighbor_allgather##suffix)(sendbuf, sendcount, sendtype, recvbuf,           \
                                                  recvcount, recvtype, comm);                      \
        },                                                                                         \
        [&](const Neighbors&, NeighborData& data) {                                                \
          fill_same(data.out, sendbuf, sendcount, sendtype);                                       \
          fill_alike(data.in, recvbuf, recvcount, recvtype);                                       \
        });                                                                                        \
  }                                                                                                \
  SUBSTITUTE_EXPORT int MPI_Neighbor_allgatherv##suffix(                                           \
      const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf,                  \
      const Count recvcounts[], const Place displs[], MPI_Datatype recvtype, MPI_Comm comm) {      \
    return neighbor_call(                                                                          \
        "MPI_Neighbor_allgatherv", comm,                                                           \
        [&] {                                                                                      \
          return PMPI(Neighbor_allgatherv##suffix)(sendbuf, sendcount, sendtype, recvbuf,          \
                                                   recvcounts, displs, recvtype, comm);            \
        },                                                                                         \
        [&](const Neighbors&, NeighborData& data) {                                                \
          fill_same(data.out, sendbuf, sendcount, sendtype);                                       \
          fill_each(data.in, recvbuf, recvcounts, displs, recvtype);                               \
        });                                                                                        \
  }                                                                                                \
  SUBSTITUTE_EXPORT int MPI_Neighbor_alltoall##suffix(                                             \
      const void* sendbuf, Count sendcount, MPI_Datatype sendtype, void* recvbuf, Count recvcount, \
      MPI_Datatype recvtype, MPI_Comm comm) {                                                      \
    return neighbor_call(                                                                          \
        "MPI_Neighbor_alltoall", comm,                                                             \
        [&] {                                                                                      \
          return PMPI(Neighbor_alltoall##suffix)(sendbuf, sendcount, sendtype, recvbuf, recvcount, \
                                                 recvtype, comm);                                  \
        },                                                                                         \
        [&](const Neighbors&, NeighborData& data) {                                                \
          fill_alike(data.out, sendbuf, sendcount, sendtype);                                      \
          fill_alike(data.in, recvbuf, recvcount, recvtype);                                       \
        });                                                                                        \
  }                                                                                                \
  SUBSTITUTE_EXPORT int MPI_Neighbor_alltoallv##suffix(                                            \
      const void* sendbuf, const Count sendcounts[], const Place sdispls[], MPI_Datatype sendtype, \
      void* recvbuf, const Count recvcounts[], const Place rdispls[], MPI_Datatype recvtype,       \
      MPI_Comm comm) {                                                                             \
    return neighbor_call(                                                                          \
        "MPI_Neighbor_alltoallv", comm,                                                            \
        [&] {                                                                                      \
          return PMPI(Neighbor_alltoallv##suffix)(sendbuf, sendcounts, sdispls, sendtype, recvbuf, \
                                                  recvcounts, rdispls, recvtype, comm);            \
        },                                                                                         \
        [&](const Neighbors&, NeighborData& data) {                                                \
          fill_each(data.out, sendbuf, sendcounts, sdispls, sendtype);                             \
          fill_each(data.in, recvbuf, recvcounts, rdispls, recvtype);                              \
        });                                                                                        \
  }                                                                                                \
  SUBSTITUTE_EXPORT int MPI_Neighbor_alltoallw##suffix(                                            \
      const void* sendbuf, const Count sendcounts[], const MPI_Aint sdispls[],                     \
      const MPI_Datatype sendtypes[], void* recvbuf, const Count recvcounts[],                     \
      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {                   \
    return neighbor_call(                                                                          \
        "MPI_Neighbor_alltoallw", comm,                                                            \
        [&] {                                                                                      \
          return PMPI(Neighbor_alltoallw##suffix)(sendbuf, sendcounts, sdispls, sendtypes,         \
                                                  recvbuf, recvcounts, rdispls, recvtypes, comm);  \
        },                                                                                         \
        [&](const Neighbors&, NeighborData& data) {                                                \
          fill_each(data.out, sendbuf, sendcounts, sdispls, sendtypes);                            \
          fill_each(data.in, recvbuf, recvcounts, rdispls, recvtypes);                             \
        });                                                                                        \
  }

SUBSTITUTE_NEIGHBORS(, int, int)
#if MPI_VERSION >= 4
SUBSTITUTE_NEIGHBORS(_c, MPI_Count, MPI_Aint)
#endif

SUBSTITUTE_EXPORT int MPI_Comm_free(MPI_Comm* comm) {
  if (Inside::is_outside()) Neighborhood::forget(*comm);
  const Inside inside;
  return PMPI(Comm_free)(comm);
}

SUBSTITUTE_EXPORT int MPI_Comm_disconnect(MPI_Comm* comm) {
  if (Inside::is_outside()) Neighborhood::forget(*comm);
  const Inside inside;
  return PMPI(Comm_disconnect)(comm);
}
