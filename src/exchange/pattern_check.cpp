#include "pattern_check.hpp"

#include <cstdint>

namespace halocline::detail {

namespace {

/// Why this rank's links cannot be; empty if they can.
std::string complaint(MPI_Comm comm, const Pattern& pattern) {
  const int ranks = mpi::size(comm);
  const std::string me = "exchange: rank " + std::to_string(mpi::rank(comm)) + ": ";
  for (const auto* links : {&pattern.sends(), &pattern.receives()})
    for (const Link& link : *links) {
      if (link.peer >= ranks)
        return me + "a link's peer is rank " + std::to_string(link.peer) + ", but there are only " +
               std::to_string(ranks) + " ranks";
      if (link.peer == mpi::rank(comm)) return me + "a link to itself; use Pattern::copy";
    }
  return {};
}

}  // namespace

bool check_pattern(MPI_Comm comm, const Pattern& pattern, std::size_t element_bytes) {
  mpi::agree(comm, complaint(comm, pattern));
  const auto ranks = static_cast<std::size_t>(mpi::size(comm));
  std::vector<std::int64_t> sent(ranks, 0), announced(ranks, 0), expected(ranks, 0);
  for (const Link& link : pattern.sends())
    sent[static_cast<std::size_t>(link.peer)] =
        static_cast<std::int64_t>(link.size() * element_bytes);
  for (const Link& link : pattern.receives())
    expected[static_cast<std::size_t>(link.peer)] =
        static_cast<std::int64_t>(link.size() * element_bytes);
  HALOCLINE_MPI(MPI_Alltoall, sent.data(), 1, MPI_INT64_T, announced.data(), 1, MPI_INT64_T, comm);

  std::string wrong;
  bool two_way = true;
  for (std::size_t peer = 0; peer < ranks; ++peer) {
    if (announced[peer] != expected[peer] && wrong.empty())
      wrong = "exchange: rank " + std::to_string(mpi::rank(comm)) + " expects " +
              std::to_string(expected[peer]) + " bytes from rank " + std::to_string(peer) +
              ", which sends " + std::to_string(announced[peer]);
    two_way = two_way && (sent[peer] > 0) == (expected[peer] > 0);
  }
  mpi::agree(comm, wrong);
  return mpi::all_of(comm, two_way);
}

}  // namespace halocline::detail
