// The heat equation on a square, in C++: Jacobi's method with a halo of one cell, whose exchange is
// hidden behind the cells that need no halo. heat SCHEME CELLS STEPS

#include <halocline/halocline.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

using Cells = std::int64_t;

// Updates a box of cells.
static void sweep(const double* from, double* to, Cells columns, halocline::Range rows,
                  halocline::Range across) {
  for (Cells i = rows.begin; i < rows.end; ++i)
    for (Cells k = i * columns + across.begin; k < i * columns + across.end; ++k)
      to[k] = 0.25 * (from[k - columns] + from[k + columns] + from[k - 1] + from[k + 1]);
}

int main(int argc, char** argv) {
  const halocline::Scheme scheme(argc > 1 ? argv[1] : "auto");
  const Cells cells = argc > 2 ? std::atoi(argv[2]) : 64;
  const int steps = argc > 3 ? std::atoi(argv[3]) : 500;
  halocline::Environment environment(argc, argv);

  const halocline::Grid grid(MPI_COMM_WORLD, {cells, cells});
  const Cells rows = grid.local(0), columns = grid.local(1);  // of my part, halos included
  const Cells first = grid.owned(0).begin;
  using Array = halocline::Array<double>;
  const std::array u{Array(grid, scheme), Array(grid, scheme)};
  std::array halos{halocline::Exchange(MPI_COMM_WORLD, grid.halo(), u[0], scheme),
                   halocline::Exchange(MPI_COMM_WORLD, grid.halo(), u[1], scheme)};
  for (const Array& array : u)  // the upper edge is hot
    if (first == 0) std::fill_n(array.data(), columns, 1);

  for (unsigned step = 0; step < unsigned(steps); ++step) {
    const double* from = u[step % 2].data();
    double* to = u[(step + 1) % 2].data();
    halos[step % 2].start();
    sweep(from, to, columns, {2, rows - 2}, {2, columns - 2});
    halos[step % 2].finish();
    sweep(from, to, columns, {1, 2}, {1, columns - 1});
    sweep(from, to, columns, {rows - 2, rows - 1}, {1, columns - 1});
    sweep(from, to, columns, {2, rows - 2}, {1, 2});
    sweep(from, to, columns, {2, rows - 2}, {columns - 2, columns - 1});
  }

  double warmest = 0;  // of the lower half
  for (Cells i = std::max<Cells>(1, cells / 2 - first + 1); i < rows - 1; ++i)
    for (Cells k = i * columns + 1; k < (i + 1) * columns - 1; ++k)
      warmest = std::max(warmest, u[unsigned(steps) % 2][std::size_t(k)]);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(MPI_IN_PLACE, &warmest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) std::printf("warmest cell of the lower half: %.15g\n", warmest);
}
