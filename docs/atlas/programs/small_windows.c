/* The ranks' parts of a small window overlap: a put lands in the wrong place.
 *
 * MPI 4.0, section 12.2.2: MPI_Win_allocate gives each rank memory of its own. Here each has 24
 * bytes and puts its number into all of its neighbour's. 40 bytes go wrong as well, 16, 32 and 64
 * do not. Halocline rounds its windows up to cache lines.
 *
 * ranks: 2
 * schemes:
 * broken: MPICH 4.0.2
 * sound: MPICH 5.0.2, Intel MPI 2021.18.1, Open MPI 4.1.4, Open MPI 5.0.11
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { count = 3 };

int main(int argc, char** argv) {
  double *mine, sent[count];
  MPI_Win window;
  int rank, ranks, wrong = 0;
  alarm(30);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Win_allocate(sizeof sent, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &window);
  for (int i = 0; i < count; ++i) sent[i] = rank + 1;
  MPI_Win_fence(0, window);
  MPI_Put(sent, count, MPI_DOUBLE, (rank + 1) % ranks, 0, count, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  for (int i = 0; i < count; ++i) {
    const double right = (rank + ranks - 1) % ranks + 1;
    if (mine[i] != right)
      printf("rank %d: double %d of its window is %g, not %g\n", rank, i, mine[i], right), ++wrong;
  }
  MPI_Win_free(&window);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && !wrong) printf("right\n");
  MPI_Finalize();
  return wrong > 0;
}
