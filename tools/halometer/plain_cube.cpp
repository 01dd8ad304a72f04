#include "plain_cube.hpp"

#include <numerics/no_denormals.hpp>

namespace halometer::plain {

using laplace::Problem;

namespace {

/// Rows of a plane, one after the other. The restricted pointers let compilers use vectors.
void jacobi_plane(double* __restrict out, const double* __restrict in, std::int64_t rows,
                  std::int64_t row, std::int64_t plane) {
  for (std::int64_t j = 1; j < rows - 1; ++j)
    for (std::int64_t i = 1; i < row - 1; ++i) {
      const double* const at = in + j * row + i;
      out[j * row + i] =
          (((at[-1] + at[1]) + (at[-row] + at[row])) + (at[-plane] + at[plane])) * (1.0 / 6);
    }
}

}  // namespace

Points allocate(const Problem& p) {
  return std::make_unique_for_overwrite<double[]>(
      static_cast<std::size_t>((p.z + 2) * (p.y + 2) * (p.x + 2)));
}

void initialise(const Problem& p, double* points, int threads) {
  const std::int64_t rows = p.y + 2, row = p.x + 2;
  const auto set = [&](std::int64_t k) {
    for (std::int64_t j = 0; j < rows; ++j)
      for (std::int64_t i = 0; i < row; ++i) {
        const bool inside = k > 0 && k <= p.z && j > 0 && j <= p.y && i > 0 && i <= p.x;
        points[(k * rows + j) * row + i] = inside ? p.start() : p.surface(k, j, i);
      }
  };
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t k = 1; k <= p.z; ++k) set(k);
  set(0);
  set(p.z + 1);
}

void jacobi(const Problem& p, const double* in, double* out, int threads) {
  const std::int64_t rows = p.y + 2, row = p.x + 2, plane = rows * row;
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    const numerics::NoDenormals flush;
#pragma omp for schedule(static)
    for (std::int64_t k = 1; k <= p.z; ++k)
      jacobi_plane(out + k * plane, in + k * plane, rows, row, plane);
  }
}

}  // namespace halometer::plain
