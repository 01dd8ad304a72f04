#include "plain_square.hpp"

namespace halometer::plain {

using partdiff::Function;
using partdiff::Problem;

namespace {

double star(double up, double left, double right, double down) {
  return 0.25 * (((up + left) + right) + down);
}

template <bool source>
void jacobi_row(double* __restrict out, const double* __restrict up, const double* __restrict in,
                const double* __restrict down, std::int64_t n, double row_source,
                const double* __restrict column_source) {
  for (std::int64_t j = 1; j < n - 1; ++j) {
    double value = star(up[j], in[j - 1], in[j + 1], down[j]);
    if constexpr (source) value += row_source * column_source[j];
    out[j] = value;
  }
}

template <bool source>
void gauss_seidel_row(double* row, const double* up, const double* down, std::int64_t n,
                      double row_source, const double* column_source) {
  for (std::int64_t j = 1; j < n - 1; ++j) {
    double value = star(up[j], row[j - 1], row[j + 1], down[j]);
    if constexpr (source) value += row_source * column_source[j];
    row[j] = value;
  }
}

/// The factor of a row, where there is one.
double row_source(const Source& source, std::int64_t i) {
  return source.row.empty() ? 0 : source.row[static_cast<std::size_t>(i)];
}

template <bool source>
void jacobi(const double* in, double* out, std::int64_t n, const Source& s, int threads) {
  const auto one = [&](std::int64_t i) {
    const double* const middle = in + i * n;
    jacobi_row<source>(out + i * n, middle - n, middle, middle + n, n, row_source(s, i),
                       s.column.data());
  };
  if (threads == 1) {
    for (std::int64_t i = 1; i < n - 1; ++i) one(i);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t i = 1; i < n - 1; ++i) one(i);
}

template <bool source>
void gauss_seidel(double* points, std::int64_t n, const Source& s) {
  for (std::int64_t i = 1; i < n - 1; ++i) {
    double* const row = points + i * n;
    gauss_seidel_row<source>(row, row - n, row + n, n, row_source(s, i), s.column.data());
  }
}

}  // namespace

Source::Source(const Problem& problem) {
  if (problem.function() == Function::zero) return;
  for (std::int64_t i = 0; i < problem.points(); ++i) {
    row.push_back(problem.row_source(i));
    column.push_back(problem.column_source(i));
  }
}

Points allocate(const Problem& problem) {
  const auto n = static_cast<std::size_t>(problem.points());
  return std::make_unique_for_overwrite<double[]>(n * n);
}

void initialise(const Problem& problem, double* points, int threads) {
  const std::int64_t n = problem.points();
  const auto set = [&](std::int64_t i) {
    for (std::int64_t j = 0; j < n; ++j)
      points[i * n + j] = problem.on_boundary(i, j) ? problem.boundary(i, j) : 0.0;
  };
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::int64_t i = 1; i < n - 1; ++i) set(i);
  set(0);
  set(n - 1);
}

void jacobi(const double* in, double* out, std::int64_t n, const Source& source, int threads) {
  if (source.row.empty())
    jacobi<false>(in, out, n, source, threads);
  else
    jacobi<true>(in, out, n, source, threads);
}

void gauss_seidel(double* points, std::int64_t n, const Source& source) {
  if (source.row.empty())
    gauss_seidel<false>(points, n, source);
  else
    gauss_seidel<true>(points, n, source);
}

}  // namespace halometer::plain
