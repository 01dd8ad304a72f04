#include "consensus.hpp"

#include "mpi/own.hpp"
#include "mpi/under_way.hpp"

#include <halocline/more/waiting.hpp>

#include <algorithm>

namespace halocline::detail {

namespace {

Lists exchanged(const Channel& comm, const Lists& mine) {
  // The channel's own tag: a rank ahead may already be in the next exchange.
  const int tag = comm.tag(Channel::tags - 1);
  const auto sent = std::make_shared<const Lists>(mine);
  UnderWay sends(UnderWay::others, 0, sent), barrier(UnderWay::others, 1);
  // Synchronous: complete when it has been received.
  for (const auto& [rank, numbers] : *sent)
    HALOCLINE_MPI(MPI_Issend, numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T, rank,
                  tag, comm, &sends.add());

  Lists theirs;
  std::size_t received = 0;  // of my messages
  bool entered = false;
  wait_until("exchange set-up", [&] {
    int here = 0;
    MPI_Status status;
    HALOCLINE_MPI(MPI_Iprobe, MPI_ANY_SOURCE, tag, comm, &here, &status);
    if (here) {
      int count = 0;
      HALOCLINE_MPI(MPI_Get_count, &status, MPI_INT64_T, &count);
      auto& numbers = theirs[status.MPI_SOURCE];
      numbers.resize(static_cast<std::size_t>(count));
      HALOCLINE_MPI(MPI_Recv, numbers.data(), count, MPI_INT64_T, status.MPI_SOURCE, tag, comm,
                    MPI_STATUS_IGNORE);
      return false;
    }
    for (int done = 1; received < sends.size() && done != 0;) {
      HALOCLINE_MPI(MPI_Test, &sends[received], &done, MPI_STATUS_IGNORE);
      if (done != 0) ++received;
    }
    if (received < sends.size()) return false;
    if (!entered) HALOCLINE_MPI(MPI_Ibarrier, comm, &barrier[0]);
    entered = true;
    int all = 0;  // have had their messages received
    HALOCLINE_MPI(MPI_Test, &barrier[0], &all, MPI_STATUS_IGNORE);
    return all != 0;
  });
  return theirs;
}

}  // namespace

Lists sparse_exchange(const Channel& comm, const Lists& mine) {
  return mpi::talk(comm, [&](MPI_Comm) { return exchanged(comm, mine); });
}

Numbers sparse_exchange(const Channel& comm, const Numbers& mine) {
  Lists lists;
  for (const auto& [rank, number] : mine) lists[rank] = {number};
  Numbers theirs;
  for (const auto& [rank, numbers] : sparse_exchange(comm, lists)) theirs[rank] = numbers.front();
  return theirs;
}

}  // namespace halocline::detail
