#include "checksum.hpp"

#include <bit>

namespace partdiff {

namespace {

/// The finaliser of SplitMix64: every bit of the result depends on every bit of `x`.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

std::uint64_t checksum(MPI_Comm comm, const Solver& solver) {
  const Domain& domain = solver.domain();
  const auto rows = domain.points(0), columns = domain.points(1);
  std::uint64_t sum = 0;
  for (std::int64_t i = rows.begin; i < rows.end; ++i) {
    const double* const row = solver.solution() + domain.offset(i, 0);
    for (std::int64_t j = columns.begin; j < columns.end; ++j) {
      const auto index = static_cast<std::uint64_t>(i * domain.problem().points() + j);
      // The sum does not depend on who adds what.
      sum += mix(std::bit_cast<std::uint64_t>(row[j]) + mix(index + 0x9e3779b97f4a7c15ULL));
    }
  }
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, comm);
  return sum;
}

}  // namespace partdiff
