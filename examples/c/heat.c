// The heat equation on a square, in C: Jacobi's method with a halo of one cell, whose exchange is
// hidden behind the cells that need no halo. heat SCHEME CELLS STEPS

#include <mpi.h>

#include <halocline/halocline.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void must(int code) {
  if (code != HALOCLINE_SUCCESS) halocline_end_job("heat", halocline_last_error());
}

// Updates a box of cells.
static void sweep(const double* from, double* to, int64_t columns, int64_t first_row,
                  int64_t end_row, int64_t first, int64_t end) {
  for (int64_t i = first_row; i < end_row; ++i)
    for (int64_t k = i * columns + first; k < i * columns + end; ++k)
      to[k] = 0.25 * (from[k - columns] + from[k + columns] + from[k - 1] + from[k + 1]);
}

int main(int argc, char** argv) {
  const char* scheme = argc > 1 ? argv[1] : "auto";
  const int64_t cells = argc > 2 ? atoi(argv[2]) : 64;
  const int steps = argc > 3 ? atoi(argv[3]) : 500;
  MPI_Init(&argc, &argv);
  const halocline_comm world = halocline_comm_of(MPI_COMM_WORLD);

  halocline_grid* grid;
  must(halocline_grid_create(world, 2, (int64_t[]){cells, cells}, NULL, &grid));
  halocline_pattern* halo;
  must(halocline_grid_halo(grid, &halo));
  int64_t rows, columns;  // of my part, halos included
  must(halocline_grid_local(grid, 0, &rows));
  must(halocline_grid_local(grid, 1, &columns));
  halocline_range first;
  must(halocline_grid_owned(grid, 0, &first));

  halocline_array* arrays[2];
  halocline_exchange* halos[2];
  double* u[2];
  for (int i = 0; i < 2; ++i) {
    halocline_field field;
    must(halocline_array_create_on(grid, HALOCLINE_FLOAT64, 1, scheme, &arrays[i]));
    must(halocline_array_field(arrays[i], &field));
    must(halocline_exchange_create(world, halo, &field, 1, scheme, NULL, &halos[i]));
    u[i] = field.data;
    if (first.begin == 0)  // the upper edge is hot
      for (int64_t j = 0; j < columns; ++j) u[i][j] = 1;
  }

  for (int step = 0; step < steps; ++step) {
    double *from = u[step % 2], *to = u[(step + 1) % 2];
    must(halocline_exchange_start(halos[step % 2]));
    sweep(from, to, columns, 2, rows - 2, 2, columns - 2);
    must(halocline_exchange_finish(halos[step % 2]));
    sweep(from, to, columns, 1, 2, 1, columns - 1);
    sweep(from, to, columns, rows - 2, rows - 1, 1, columns - 1);
    sweep(from, to, columns, 2, rows - 2, 1, 2);
    sweep(from, to, columns, 2, rows - 2, columns - 2, columns - 1);
  }

  double warmest_below = 0;  // of the lower half
  for (int64_t i = 1; i + 1 < rows; ++i)
    for (int64_t j = 1; j + 1 < columns; ++j)
      if (first.begin + i - 1 >= cells / 2)
        warmest_below = fmax(warmest_below, u[steps % 2][i * columns + j]);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(MPI_IN_PLACE, &warmest_below, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf("warmest cell of the lower half: %.15g\n", warmest_below);

  for (int i = 0; i < 2; ++i) {
    must(halocline_exchange_free(&halos[i]));
    must(halocline_array_free(&arrays[i]));
  }
  must(halocline_pattern_free(&halo));
  must(halocline_grid_free(&grid));
  return MPI_Finalize();
}
