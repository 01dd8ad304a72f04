#pragma once
// Collectives by which set-up talks. Where ranks outnumber cores, a blocking one of MPICH keeps the
// core that the rank it waits for needs; these are nonblocking ones, which `wait` polls. So they
// end by a Timeout as well, and leave nothing behind that MPI still writes to. They are on the
// library's own communicators (own.hpp).

#include "own.hpp"

#include <halocline/more/under_way.hpp>
#include <halocline/more/waiting.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
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

/// A collective that works on `memory`, which `begin(memory, communicator, request)` begins.
/// Returns the memory when it has ended.
template <class Memory, class Begin>
Memory talk(const char* what, MPI_Comm comm, Memory memory, Begin&& begin) {
  return talk(comm, [&](MPI_Comm own) {
    Pending<Memory> pending(std::move(memory));
    begin(*pending, own, &pending.request());
    wait_one(what, pending.request());
    return std::move(*pending);
  });
}

/// As MPI_Allreduce, in place. All ranks give as many values.
template <class T>
std::vector<T> reduced(MPI_Comm comm, std::vector<T> values, MPI_Op op) {
  return talk("a reduction, to which all ranks have to come", comm, std::move(values),
              [op](std::vector<T>& all, MPI_Comm own, MPI_Request* request) {
                HALOCLINE_MPI(MPI_Iallreduce, MPI_IN_PLACE, all.data(),
                              static_cast<int>(all.size()), type_of<T>(), op, own, request);
              });
}

template <class T>
T reduced(MPI_Comm comm, T value, MPI_Op op) {
  return reduced(comm, std::vector<T>{value}, op).front();
}

/// As MPI_Exscan: the sum of the values of the ranks before this one.
template <class T>
T sum_before(MPI_Comm comm, T mine) {
  struct Memory {
    T mine, before{};  // of rank 0 it stays 0
  };
  return talk("a sum, to which all ranks have to come", comm, Memory{mine},
              [](Memory& one, MPI_Comm own, MPI_Request* request) {
                HALOCLINE_MPI(MPI_Iexscan, &one.mine, &one.before, 1, type_of<T>(), MPI_SUM, own,
                              request);
              })
      .before;
}

/// As MPI_Bcast. All ranks give as many values.
template <class T>
std::vector<T> from_rank(MPI_Comm comm, int root, std::vector<T> values) {
  return talk("a broadcast, to which all ranks have to come", comm, std::move(values),
              [root](std::vector<T>& all, MPI_Comm own, MPI_Request* request) {
                HALOCLINE_MPI(MPI_Ibcast, all.data(), static_cast<int>(all.size()), type_of<T>(),
                              root, own, request);
              });
}

template <class T>
T from_rank(MPI_Comm comm, int root, T value) {
  return from_rank(comm, root, std::vector<T>{value}).front();
}

/// As MPI_Allgather. All ranks give as many values. What takes memory for each rank is for
/// communicators whose size a node bounds, and for what the caller asks for of all.
template <class T>
std::vector<T> of_all(MPI_Comm comm, const std::vector<T>& mine) {
  std::vector<T> values(mine.size() * static_cast<std::size_t>(size(comm)));
  std::ranges::copy(mine, values.begin() + rank(comm) * std::ssize(mine));
  return talk("values of all ranks, to which all have to come", comm, std::move(values),
              [each = static_cast<int>(mine.size())](std::vector<T>& all, MPI_Comm own,
                                                     MPI_Request* request) {
                HALOCLINE_MPI(MPI_Iallgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), each,
                              type_of<T>(), own, request);
              });
}

template <class T>
std::vector<T> of_all(MPI_Comm comm, T mine) {
  return of_all(comm, std::vector<T>{mine});
}

/// As MPI_Gather: the values of all ranks, by rank, on rank 0, and none on others. All ranks give
/// as many.
template <class T>
std::vector<T> at_root(MPI_Comm comm, std::vector<T> mine) {
  struct Memory {
    std::vector<T> mine, all;
  };
  const std::size_t all = rank(comm) == 0 ? mine.size() * static_cast<std::size_t>(size(comm)) : 0;
  return talk("values of all ranks, to which all have to come", comm,
              Memory{std::move(mine), std::vector<T>(all)},
              [](Memory& one, MPI_Comm own, MPI_Request* request) {
                const auto each = static_cast<int>(one.mine.size());
                HALOCLINE_MPI(MPI_Igather, one.mine.data(), each, type_of<T>(), one.all.data(),
                              each, type_of<T>(), 0, own, request);
              })
      .all;
}

/// As MPI_Scatter: of rank 0's values, `each` for every rank, this one's.
template <class T>
std::vector<T> out_of_root(MPI_Comm comm, std::vector<T> all, std::size_t each) {
  struct Memory {
    std::vector<T> all, mine;
  };
  return talk("values for all ranks, to which all have to come", comm,
              Memory{std::move(all), std::vector<T>(each)},
              [](Memory& one, MPI_Comm own, MPI_Request* request) {
                const auto count = static_cast<int>(one.mine.size());
                HALOCLINE_MPI(MPI_Iscatter, one.all.data(), count, type_of<T>(), one.mine.data(),
                              count, type_of<T>(), 0, own, request);
              })
      .mine;
}

/// Lists of values, one for each rank, as MPI takes and leaves them.
template <class T>
struct Lists {
  std::vector<int> sizes, begins;
  std::vector<T> values{};

  explicit Lists(std::vector<int> of_ranks) : sizes(std::move(of_ranks)), begins(sizes.size()) {
    std::exclusive_scan(sizes.begin(), sizes.end(), begins.begin(), 0);
    values.resize(static_cast<std::size_t>(std::reduce(sizes.begin(), sizes.end())));
  }
  std::vector<std::vector<T>> apart() const {
    std::vector<std::vector<T>> lists;
    for (std::size_t rank = 0; rank < sizes.size(); ++rank)
      lists.emplace_back(values.begin() + begins[rank],
                         values.begin() + begins[rank] + sizes[rank]);
    return lists;
  }
};

/// As MPI_Gatherv: the lists of all ranks, by rank, on rank 0, and none on others.
template <class T>
std::vector<std::vector<T>> gathered(MPI_Comm comm, std::vector<T> mine) {
  struct Memory {
    std::vector<T> mine;
    Lists<T> all;
  };
  std::vector<int> sizes = of_all(comm, static_cast<int>(mine.size()));
  if (rank(comm) != 0) sizes.clear();
  return talk("lists of all ranks, to which all have to come", comm,
              Memory{std::move(mine), Lists<T>(std::move(sizes))},
              [](Memory& one, MPI_Comm own, MPI_Request* request) {
                HALOCLINE_MPI(MPI_Igatherv, one.mine.data(), static_cast<int>(one.mine.size()),
                              type_of<T>(), one.all.values.data(), one.all.sizes.data(),
                              one.all.begins.data(), type_of<T>(), 0, own, request);
              })
      .all.apart();
}

/// As MPI_Barrier.
inline void barrier(MPI_Comm comm) {
  talk("a barrier, to which all ranks have to come", comm, 0,
       [](int&, MPI_Comm own, MPI_Request* request) { HALOCLINE_MPI(MPI_Ibarrier, own, request); });
}

}  // namespace halocline::mpi
