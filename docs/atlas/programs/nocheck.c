/* A large put under a lock that need not be asked for never ends.
 *
 * MPI 4.0, section 12.5.5: with MPI_MODE_NOCHECK no other process holds a conflicting lock; the
 * epoch is otherwise like any. Here rank 0 puts 16 KiB into rank 1's window. From some 8 KiB on
 * osc/pt2pt waits for the answer of a target that nobody has asked.
 *
 * ranks: 2
 * schemes: *rma:put:lock*asserts=on*, *rma:accumulate:lock*asserts=on*
 * settings: OMPI_MCA_osc=pt2pt
 * broken: Open MPI 4.1.4
 * sound: MPICH 4.0.2, MPICH 5.0.2, Intel MPI 2021.18.1, Open MPI 5.0.11
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { count = 2048 };

static void give_up(int number) {
  static const char words[] = "MPI_Win_unlock has not returned for 10 s\n";
  (void)number;
  if (write(STDOUT_FILENO, words, sizeof words - 1)) _exit(1);
}

int main(int argc, char** argv) {
  static double mine[count], sent[count];
  MPI_Win window;
  int rank, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < count; ++i) sent[i] = 1 + i;
  MPI_Win_create(mine, sizeof mine, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  if (rank == 0) {
    signal(SIGALRM, give_up);
    alarm(10);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, MPI_MODE_NOCHECK, window);
    MPI_Put(sent, count, MPI_DOUBLE, 1, 0, count, MPI_DOUBLE, window);
    MPI_Win_unlock(1, window);
  }
  MPI_Win_fence(0, window);
  for (int i = 0; rank == 1 && i < count; ++i)
    if (mine[i] != sent[i] && ++wrong == 1)
      printf("rank 1: double %d of %d is %g, not %g\n", i, count, mine[i], sent[i]);
  MPI_Win_free(&window);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && !wrong) printf("right\n");
  MPI_Finalize();
  return wrong > 0;
}
