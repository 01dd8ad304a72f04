// Patterns of sparse rows: which elements of a vector, spread over ranks as the rows are, each rank
// needs of others.

#include "patterns.hpp"
#include "shapes.hpp"

#include <halocline/error.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>

namespace halocline::python {

namespace {

/// One past the last row of each rank.
std::vector<std::int64_t> row_ends(MPI_Comm comm, std::int64_t rows) {
  std::vector<std::int64_t> ends(static_cast<std::size_t>(mpi::size(comm)));
  HALOCLINE_MPI(MPI_Allgather, &rows, 1, MPI_INT64_T, ends.data(), 1, MPI_INT64_T, comm);
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  return ends;
}

std::vector<int> begins(const std::vector<int>& counts) {
  std::vector<int> first(counts.size(), 0);
  if (!counts.empty()) std::partial_sum(counts.begin(), counts.end() - 1, first.begin() + 1);
  return first;
}

/// (begin, end) of this rank's rows among those of all ranks, and their number. Collective.
nb::tuple row_range(nb::handle comm, std::int64_t rows) {
  const Communicator given = communicator(comm);
  Ranks::of(given.comm).meet();
  std::vector<std::int64_t> ends;
  {
    const Waits others;
    ends = row_ends(given.comm, rows);
  }
  const std::int64_t end = ends[static_cast<std::size_t>(mpi::rank(given.comm))];
  return nb::make_tuple(end - rows, end, ends.back());
}

/// `ghosts` are columns of others' rows, ascending. Element i < rows of the local vector is row i,
/// and element rows + j is that of ghost j. Collective.
NamedPattern ghost_pattern(nb::handle comm, std::int64_t rows,
                           const std::vector<std::int64_t>& ghosts) {
  const Communicator given = communicator(comm);
  Ranks& ranks = Ranks::of(given.comm);
  ranks.meet();
  NamedPattern pattern;
  pattern.comm = given;
  std::string complaint;
  {
    const Waits others;
    const std::vector<std::int64_t> ends = row_ends(given.comm, rows);
    const auto me = static_cast<std::size_t>(mpi::rank(given.comm));
    if (!ghosts.empty() && (ghosts.front() < 0 || ghosts.back() >= ends.back()))
      complaint = "column " + std::to_string(ghosts.front() < 0 ? ghosts.front() : ghosts.back()) +
                  " of a matrix of " + std::to_string(ends.back()) +
                  " rows on all ranks together; columns are numbered as rows are";
    mpi::agree(given.comm, complaint);
    std::vector<int> wanted(ends.size(), 0), asked(ends.size(), 0);
    for (const std::int64_t ghost : ghosts)
      ++wanted[static_cast<std::size_t>(std::ranges::upper_bound(ends, ghost) - ends.begin())];
    HALOCLINE_MPI(MPI_Alltoall, wanted.data(), 1, MPI_INT, asked.data(), 1, MPI_INT, given.comm);
    const std::vector<int> to = begins(wanted), from = begins(asked);
    std::vector<std::int64_t> sent(static_cast<std::size_t>(from.back() + asked.back()));
    HALOCLINE_MPI(MPI_Alltoallv, ghosts.data(), wanted.data(), to.data(), MPI_INT64_T, sent.data(),
                  asked.data(), from.data(), MPI_INT64_T, given.comm);
    for (std::int64_t& row : sent) row -= ends[me] - rows;
    std::vector<std::int64_t> received(ghosts.size());
    std::iota(received.begin(), received.end(), rows);
    std::vector<int> peers(ends.size());
    std::iota(peers.begin(), peers.end(), 0);
    pattern.links = Pattern::from_indices(peers, asked, sent, peers, wanted, received);
  }
  return pattern;
}

}  // namespace

void bind_sparse(nb::module_& module) {
  module.def("row_range", &row_range, nb::arg("comm").none(), nb::arg("rows"),
             "(begin, end, all) of this rank's rows among those of all ranks. Collective.");
  module.def("ghost_pattern", &ghost_pattern, nb::arg("comm").none(), nb::arg("rows"),
             nb::arg("ghosts"),
             "The pattern of `rows` elements of this rank followed by those of columns `ghosts`.");
}

}  // namespace halocline::python
