#pragma once
// From the ranks that have something to those that should have it.

#include <halocline/exchange.hpp>
#include <halocline/more/mpi.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace spmv {

/// What all ranks have for this one, by ranks. `outgoing` has a list for each rank. Collective.
template <class Item>
std::vector<std::vector<Item>> deal(MPI_Comm comm, const std::vector<std::vector<Item>>& outgoing) {
  using namespace halocline;
  const auto ranks = static_cast<std::size_t>(mpi::size(comm));
  const auto me = static_cast<std::size_t>(mpi::rank(comm));
  std::vector<std::int64_t> leaving, arriving(ranks);
  for (const auto& list : outgoing) leaving.push_back(std::ssize(list));
  HALOCLINE_MPI(MPI_Alltoall, leaving.data(), 1, MPI_INT64_T, arriving.data(), 1, MPI_INT64_T,
                comm);
  // What leaves and what arrives, one after the other in one array.
  std::vector<Item> all;
  Pattern pattern;
  const auto block = [](std::size_t begin, std::size_t count) {
    return Block{.offset = static_cast<std::ptrdiff_t>(begin), .count = {1, 1, count}};
  };
  for (std::size_t peer = 0; peer < ranks; ++peer) {
    if (peer == me) continue;
    pattern.send(static_cast<int>(peer), block(all.size(), outgoing[peer].size()));
    all.insert(all.end(), outgoing[peer].begin(), outgoing[peer].end());
  }
  std::vector<std::size_t> begin;
  for (std::size_t peer = 0; peer < ranks; ++peer) {
    begin.push_back(all.size());
    if (peer == me) continue;
    const auto count = static_cast<std::size_t>(arriving[peer]);
    pattern.receive(static_cast<int>(peer), block(all.size(), count));
    all.resize(all.size() + count);
  }
  if (!mpi::all_of(comm, pattern.empty()))
    Exchange(comm, pattern, field(all.data(), all.size()), "p2p:nonblocking").run();
  std::vector<std::vector<Item>> incoming(ranks);
  for (std::size_t peer = 0; peer < ranks; ++peer) {
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(begin[peer]);
    if (peer == me)
      incoming[peer] = outgoing[peer];
    else
      incoming[peer].assign(from, from + static_cast<std::ptrdiff_t>(arriving[peer]));
  }
  return incoming;
}

/// Where each rank's part ends, of parts that follow each other in the order of ranks. Collective.
inline std::vector<std::int64_t> ends_of(MPI_Comm comm, std::int64_t mine) {
  std::vector<std::int64_t> ends(static_cast<std::size_t>(halocline::mpi::size(comm)));
  HALOCLINE_MPI(MPI_Allgather, &mine, 1, MPI_INT64_T, ends.data(), 1, MPI_INT64_T, comm);
  return ends;
}

/// The rank whose part holds `index`.
inline std::size_t owner_of(const std::vector<std::int64_t>& ends, std::int64_t index) {
  return static_cast<std::size_t>(std::ranges::upper_bound(ends, index) - ends.begin());
}

}  // namespace spmv
