#pragma once
// Sweeps over a square grid as one would write them first: a row of points after the other.

#include <partdiff/problem.hpp>

#include <memory>
#include <vector>

namespace halometer::plain {

/// The source term of every point, as a product of two tables; empty for f = 0.
struct Source {
  explicit Source(const partdiff::Problem& problem);
  std::vector<double> row, column;
};

/// All points of a grid, row by row.
using Points = std::unique_ptr<double[]>;

/// Points for `problem`, not yet in memory: the thread that writes a row first gets it close by.
Points allocate(const partdiff::Problem& problem);

/// The boundary's values, and 0 elsewhere; every row by the thread that sweeps it.
void initialise(const partdiff::Problem& problem, double* points, int threads);

/// One Jacobi sweep over a grid with `n` points a side.
void jacobi(const double* in, double* out, std::int64_t n, const Source& source, int threads);

/// One Gauss-Seidel sweep, in place and in lexicographic order.
void gauss_seidel(double* points, std::int64_t n, const Source& source);

}  // namespace halometer::plain
