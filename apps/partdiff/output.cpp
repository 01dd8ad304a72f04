#include "output.hpp"

#include <frame/image.hpp>
#include <numerics/point_checksum.hpp>

namespace partdiff {

using namespace halocline;

void write_image(MPI_Comm comm, const Solver& solver, const std::string& file) {
  const Domain& domain = solver.domain();
  const std::int64_t points = domain.problem().points();
  const Range rows = domain.points(0), columns = domain.points(1);
  frame::write_image(comm, file, points, points,
                     [&](std::int64_t i, std::int64_t j) -> std::optional<double> {
                       if (i < rows.begin || i >= rows.end || j < columns.begin || j >= columns.end)
                         return std::nullopt;
                       return solver.solution()[domain.offset(i, j)];
                     });
}

std::uint64_t checksum_of_mine(const Solver& solver) {
  const Domain& domain = solver.domain();
  const Range rows = domain.points(0), columns = domain.points(1);
  std::uint64_t sum = 0;
  for (std::int64_t i = rows.begin; i < rows.end; ++i) {
    const double* const row = solver.solution() + domain.offset(i, 0);
    for (std::int64_t j = columns.begin; j < columns.end; ++j)
      sum += numerics::point_checksum(i * domain.problem().points() + j, row[j]);
  }
  return sum;
}

}  // namespace partdiff
