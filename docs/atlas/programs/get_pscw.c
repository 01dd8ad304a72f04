/* MPI_Win_complete returns before a get is over.
 *
 * MPI 4.0, section 12.5.2: MPI_Win_complete ends the epoch, and a get is complete when it returns.
 * Here each rank of a ring offers 600 kB to the next and gets those of the one before.
 *
 * ranks: 3
 * schemes: *rma:get:pscw*
 * broken: MPICH 4.0.2
 * sound: MPICH 5.0.2, Intel MPI 2021.18.1, Open MPI 4.1.4, Open MPI 5.0.11
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { count = 75000, steps = 50 };

int main(int argc, char** argv) {
  double *mine = malloc(count * sizeof(double)), *got = malloc(count * sizeof(double));
  MPI_Group all, next, last;
  MPI_Win window;
  int rank, ranks;
  alarm(30);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &to, &next);
  MPI_Group_incl(all, 1, &from, &last);
  MPI_Win_create(mine, count * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                 &window);
  for (int step = 1; step <= steps; ++step) {
    for (int i = 0; i < count; ++i) mine[i] = step, got[i] = 0;
    MPI_Win_post(next, 0, window);
    MPI_Win_start(last, 0, window);
    MPI_Get(got, count, MPI_DOUBLE, from, 0, count, MPI_DOUBLE, window);
    MPI_Win_complete(window);
    for (int i = 0; i < count; ++i)
      if (got[i] != step) {
        printf("rank %d, step %d: double %d of %d is %g, not %d\n", rank, step, i, count, got[i],
               step);
        fflush(stdout);
        usleep(100000); /* mpiexec may drop words of a job that aborts */
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
    MPI_Win_wait(window);
  }
  if (rank == 0) printf("right\n");
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
