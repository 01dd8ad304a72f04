// The heat equation on a square, in C: Jacobi's method with a halo of one cell.
// heat SCHEME CELLS STEPS

#include <mpi.h>

#include <halocline/halocline.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void must(int code) {
  if (code != HALOCLINE_SUCCESS) halocline_end_job("heat", halocline_last_error());
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
    must(halocline_exchange_run(halos[step % 2]));
    for (int64_t i = 1; i + 1 < rows; ++i)
      for (int64_t j = 1; j + 1 < columns; ++j)
        to[i * columns + j] = 0.25 * (from[(i - 1) * columns + j] + from[(i + 1) * columns + j] +
                                      from[i * columns + j - 1] + from[i * columns + j + 1]);
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
