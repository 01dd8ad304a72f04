/* A receive of a partitioned message completes before all of it is there, or never.
 *
 * MPI 4.0, section 4.2: a receive begun by MPI_Precv_init is complete when all its partitions have
 * arrived. Here each of two ranks sends 24 doubles in 8 partitions, again and again.
 *
 * ranks: 2
 * schemes: *p2p:partitioned*
 * broken: Open MPI 5.0.11
 * sound: MPICH 5.0.2, Intel MPI 2021.18
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { parts = 8, each = 3, count = parts * each, steps = 2000 };

int main(int argc, char** argv) {
  double out[count], in[count];
  MPI_Request requests[2];
  int rank;
  alarm(30); /* ends a wait that never does */
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Precv_init(in, parts, each, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &requests[0]);
  MPI_Psend_init(out, parts, each, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &requests[1]);
  for (int step = 1; step <= steps; ++step) {
    for (int i = 0; i < count; ++i) {
      out[i] = step;
      in[i] = 0;
    }
    MPI_Startall(2, requests);
    MPI_Pready_range(0, parts - 1, requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < count; ++i)
      if (in[i] != step) {
        printf("rank %d, step %d: double %d of %d is %g, not %d\n", rank, step, i, count, in[i],
               step);
        fflush(stdout);
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  if (rank == 0) printf("right\n");
  MPI_Finalize();
  return 0;
}
