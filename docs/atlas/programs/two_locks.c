/* Who holds the locks of two targets waits for ever.
 *
 * MPI 4.0, section 12.5.3: MPI_Win_unlock returns when what was asked of that one target is over.
 * Here rank 0 locks ranks 1 and 2, gets 8 bytes from each, and unlocks one after the other.
 * osc/pt2pt waits in the first unlock for the second get, which begins with the unlock of its own
 * target alone. So does an accumulate of more than 8 KiB.
 *
 * ranks: 3
 * schemes: *rma:get:lock*, *rma:accumulate:lock*
 * settings: OMPI_MCA_osc=pt2pt
 * broken: Open MPI 4.1.4
 * sound: MPICH 4.0.2, MPICH 5.0.2, Intel MPI 2021.18.1, Open MPI 5.0.11
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void give_up(int number) {
  static const char words[] = "MPI_Win_unlock has not returned for 10 s\n";
  (void)number;
  if (write(STDOUT_FILENO, words, sizeof words - 1)) _exit(1);
}

int main(int argc, char** argv) {
  static double mine[64];
  double got[3] = {0, 0, 0};
  MPI_Win window;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  mine[0] = rank;
  MPI_Win_create(mine, sizeof mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  if (rank == 0) {
    signal(SIGALRM, give_up);
    alarm(10);
    for (int target = 1; target <= 2; ++target) {
      MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);
      MPI_Get(&got[target], 1, MPI_DOUBLE, target, 0, 1, MPI_DOUBLE, window);
    }
    MPI_Win_unlock(1, window);
    MPI_Win_unlock(2, window);
    if (got[1] != 1 || got[2] != 2) {
      printf("got %g and %g, not 1 and 2\n", got[1], got[2]);
      fflush(stdout);
      usleep(100000); /* mpiexec may drop words of a job that aborts */
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    printf("right\n");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
