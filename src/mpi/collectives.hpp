#pragma once
// Collectives by which set-up talks. Where ranks outnumber cores, a blocking one of MPICH keeps the
// core that the rank it waits for needs; these are nonblocking ones, which `wait` polls. So they
// end by a Timeout as well, and leave nothing behind that MPI still writes to.

#include <halocline/more/under_way.hpp>
#include <halocline/more/waiting.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace halocline::mpi {

template <class T>
MPI_Datatype type_of() noexcept {
  if constexpr (std::is_same_v<T, int>)
    return MPI_INT;
  else if constexpr (std::is_same_v<T, double>)
    return MPI_DOUBLE;
  else if constexpr (std::is_same_v<T, char>)
    return MPI_CHAR;
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    return MPI_UINT8_T;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return MPI_INT64_T;
  else {
    static_assert(std::is_same_v<T, std::uint64_t>, "a type that set-up does not send");
    return MPI_UINT64_T;
  }
}

namespace detail {

template <class T, class Begin>
std::vector<T> collected(const char* what, std::vector<T> values, Begin&& begin) {
  Pending<std::vector<T>> pending(std::move(values));
  begin(pending->data(), static_cast<int>(pending->size()), &pending.request());
  wait_one(what, pending.request());
  return std::move(*pending);
}

}  // namespace detail

/// As MPI_Allreduce, in place. All ranks give as many values.
template <class T>
std::vector<T> reduced(MPI_Comm comm, std::vector<T> values, MPI_Op op) {
  return detail::collected("a reduction, to which all ranks have to come", std::move(values),
                           [&](T* data, int count, MPI_Request* request) {
                             HALOCLINE_MPI(MPI_Iallreduce, MPI_IN_PLACE, data, count, type_of<T>(),
                                           op, comm, request);
                           });
}

template <class T>
T reduced(MPI_Comm comm, T value, MPI_Op op) {
  return reduced(comm, std::vector<T>{value}, op).front();
}

/// As MPI_Bcast. All ranks give as many values.
template <class T>
std::vector<T> from_rank(MPI_Comm comm, int root, std::vector<T> values) {
  return detail::collected("a broadcast, to which all ranks have to come", std::move(values),
                           [&](T* data, int count, MPI_Request* request) {
                             HALOCLINE_MPI(MPI_Ibcast, data, count, type_of<T>(), root, comm,
                                           request);
                           });
}

template <class T>
T from_rank(MPI_Comm comm, int root, T value) {
  return from_rank(comm, root, std::vector<T>{value}).front();
}

/// As MPI_Allgather of one value a rank.
template <class T>
std::vector<T> of_all(MPI_Comm comm, T mine) {
  std::vector<T> values(static_cast<std::size_t>(size(comm)));
  values[static_cast<std::size_t>(rank(comm))] = mine;
  return detail::collected("values of all ranks, to which all have to come", std::move(values),
                           [&](T* data, int, MPI_Request* request) {
                             HALOCLINE_MPI(MPI_Iallgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data,
                                           1, type_of<T>(), comm, request);
                           });
}

/// As MPI_Barrier.
inline void barrier(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  HALOCLINE_MPI(MPI_Ibarrier, comm, &request);
  wait_one("a barrier, to which all ranks have to come", request);
}

}  // namespace halocline::mpi
