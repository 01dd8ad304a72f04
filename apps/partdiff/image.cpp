#include "image.hpp"

#include <picture.hpp>

namespace partdiff {

using namespace halocline;

void write_image(MPI_Comm comm, const Solver& solver, const std::string& file) {
  const Domain& domain = solver.domain();
  const std::int64_t points = domain.problem().points(), width = picture::pixels(points);
  const Range rows = domain.points(0), columns = domain.points(1);
  picture::write(comm, file, width, width, [&](const picture::Plot& plot) {
    for (std::int64_t y = 0; y < width; ++y)
      for (std::int64_t x = 0; x < width; ++x) {
        const std::int64_t i = picture::point(y, points), j = picture::point(x, points);
        if (i >= rows.begin && i < rows.end && j >= columns.begin && j < columns.end)
          plot(x, y, solver.solution()[domain.offset(i, j)]);
      }
  });
}

}  // namespace partdiff
