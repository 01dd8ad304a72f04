#include "residual.hpp"

#include "stencil.hpp"

#include <numerics/no_denormals.hpp>

#include <halocline/more/trace.hpp>
#include <halocline/more/waiting.hpp>

#include <cmath>
#include <vector>

namespace laplace {

namespace mpi = halocline::mpi;

numerics::ExactSum squared_residual(const Box& box, int threads) {
  numerics::ExactSum sum;
  if (box.empty()) return sum;
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    const numerics::NoDenormals flush;
    numerics::ExactSum mine;
    std::vector<double> squares(static_cast<std::size_t>(box.size[2]));
#pragma omp for collapse(2) schedule(static)
    for (std::ptrdiff_t k = 0; k < box.size[0]; ++k)
      for (std::ptrdiff_t j = 0; j < box.size[1]; ++j) {
        const double *const at = box.at(k, j), *const south = at - box.row,
                            *const north = at + box.row, *const below = at - box.plane,
                            *const above = at + box.plane;
        double* const square = squares.data();
        for (std::ptrdiff_t i = 0; i < box.size[2]; ++i) {
          const double difference =
              sum_of_six(at[i - 1], at[i + 1], south[i], north[i], below[i], above[i]) - 6 * at[i];
          square[i] = difference * difference;
        }
        mine.add(square, box.size[2]);
      }
#pragma omp critical
    sum += mine;
  }
  return sum;
}

numerics::ExactSum squared_source(const Problem& problem, const halocline::Grid& grid) {
  numerics::ExactSum sum;
  if (grid.idle()) return sum;
  const numerics::NoDenormals flush;
  const halocline::Range planes = grid.owned(0), rows = grid.owned(1), points = grid.owned(2);
  const auto outside = [](std::int64_t index, std::int64_t cells) {
    return index == 0 || index == cells + 1;
  };
  const auto contribution = [&](std::int64_t k, std::int64_t j, std::int64_t i) {
    const bool inside = !outside(k, problem.z) && !outside(j, problem.y) && !outside(i, problem.x);
    return inside ? 0 : problem.surface(k, j, i);
  };
  std::vector<double> squares;
  const auto add = [&](std::int64_t k, std::int64_t j, std::int64_t i) {
    const double source =
        sum_of_six(contribution(k, j, i - 1), contribution(k, j, i + 1), contribution(k, j - 1, i),
                   contribution(k, j + 1, i), contribution(k - 1, j, i), contribution(k + 1, j, i));
    squares.push_back(source * source);
  };
  // Cell c is point c + 1.
  for (std::int64_t k = planes.begin + 1; k <= planes.end; ++k)
    for (std::int64_t j = rows.begin + 1; j <= rows.end; ++j) {
      squares.clear();
      if (k == 1 || k == problem.z || j == 1 || j == problem.y) {
        for (std::int64_t i = points.begin + 1; i <= points.end; ++i) add(k, j, i);
      } else {
        if (points.begin == 0) add(k, j, 1);
        if (points.end == problem.x && problem.x > 1) add(k, j, problem.x);
      }
      sum.add(squares.data(), std::ssize(squares));
    }
  return sum;
}

double residual(const numerics::ExactSum& squared_residual,
                const numerics::ExactSum& squared_source) {
  const double squares = squared_residual.value();
  return squares == 0 ? 0 : std::sqrt(squares) / std::sqrt(squared_source.value());
}

numerics::ExactSum over_ranks(MPI_Comm comm, numerics::ExactSum mine) {
  mine.settle();
  const halocline::trace::Together together(comm, "sum of the residual");
  MPI_Request request = MPI_REQUEST_NULL;
  HALOCLINE_MPI(MPI_Iallreduce, MPI_IN_PLACE, mine.integers().data(), numerics::ExactSum::limbs,
                MPI_INT64_T, MPI_SUM, comm, &request);
  halocline::wait_one("laplace: the residual over all ranks", request);
  return mine;
}

}  // namespace laplace
