// Patterns of sparse rows: which elements of a vector, spread over ranks as the rows are, each rank
// needs of others.

#include "exchange/core/ghosts.hpp"
#include "patterns.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace halocline::python {

namespace {

/// (begin, end) of this rank's rows among those of all ranks, and their number. Collective.
nb::tuple row_range(nb::handle comm, std::int64_t rows) {
  const Communicator given = communicator(comm);
  detail::RowsOfRank found{};
  {
    const Waits others;
    found = detail::rows_of_rank(given.comm, rows);
  }
  return nb::make_tuple(found.mine.begin, found.mine.end, found.all);
}

/// `ghosts` are columns of others' rows, ascending. Element i < rows of the local vector is row i,
/// and element rows + j is that of ghost j. Collective.
NamedPattern ghost_pattern(nb::handle comm, std::int64_t rows,
                           const std::vector<std::int64_t>& ghosts) {
  const Communicator given = communicator(comm);
  NamedPattern pattern;
  pattern.comm = given;
  {
    const Waits others;
    pattern.links = detail::ghost_pattern(given.comm, rows, ghosts);
  }
  return pattern;
}

/// What `step()` returns, unless it fails on a rank: then all get the same Error. Collective.
nb::object agreed_on(nb::handle comm, nb::handle step) {
  nb::object made;
  agreed(communicator(comm).comm, [&] { made = step(); });
  return made;
}

}  // namespace

void bind_sparse(nb::module_& module) {
  module.def(
      "agreed", &agreed_on, nb::arg("comm").none(), nb::arg("step"),
      "What step() returns; if it raises on one rank, all raise the same Error. Collective.");
  module.def("row_range", &row_range, nb::arg("comm").none(), nb::arg("rows"),
             "(begin, end, all) of this rank's rows among those of all ranks. Collective.");
  module.def("ghost_pattern", &ghost_pattern, nb::arg("comm").none(), nb::arg("rows"),
             nb::arg("ghosts"),
             "The pattern of `rows` elements of this rank followed by those of columns `ghosts`.");
}

}  // namespace halocline::python
