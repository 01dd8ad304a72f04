#include "checksum.hpp"

#include <point_checksum.hpp>

namespace partdiff {

std::uint64_t checksum(MPI_Comm comm, const Solver& solver) {
  const Domain& domain = solver.domain();
  const auto rows = domain.points(0), columns = domain.points(1);
  std::uint64_t sum = 0;
  for (std::int64_t i = rows.begin; i < rows.end; ++i) {
    const double* const row = solver.solution() + domain.offset(i, 0);
    for (std::int64_t j = columns.begin; j < columns.end; ++j) {
      sum += points::checksum(i * domain.problem().points() + j, row[j]);
    }
  }
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, comm);
  return sum;
}

}  // namespace partdiff
