/* Two partitioned messages to the same rank never arrive.
 *
 * MPI 4.0, section 4.2: a receive begun by MPI_Precv_init is complete when all its partitions have
 * arrived, and messages are matched by their tags. Here two ranks send each other two messages of
 * 24 doubles in 8 partitions.
 *
 * ranks: 2
 * schemes: *p2p:partitioned*
 * broken: Open MPI 5.0.11
 * sound: MPICH 4.0.2, MPICH 5.0.2, Intel MPI 2021.18.1
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { parts = 8, each = 3, count = parts * each, messages = 2 };

static void give_up(int number) {
  static const char words[] = "MPI_Waitall has not returned for 10 s\n";
  (void)number;
  if (write(STDOUT_FILENO, words, sizeof words - 1)) _exit(1);
}

int main(int argc, char** argv) {
  double out[messages][count], in[messages][count];
  MPI_Request requests[2 * messages];
  int rank, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int m = 0; m < messages; ++m) {
    for (int i = 0; i < count; ++i) out[m][i] = 100 * m + i;
    MPI_Precv_init(in[m], parts, each, MPI_DOUBLE, 1 - rank, m, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &requests[m]);
    MPI_Psend_init(out[m], parts, each, MPI_DOUBLE, 1 - rank, m, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &requests[messages + m]);
  }
  signal(SIGALRM, give_up);
  alarm(10);
  MPI_Startall(2 * messages, requests);
  for (int m = 0; m < messages; ++m) MPI_Pready_range(0, parts - 1, requests[messages + m]);
  MPI_Waitall(2 * messages, requests, MPI_STATUSES_IGNORE);
  alarm(0);
  for (int m = 0; m < messages; ++m)
    for (int i = 0; i < count; ++i)
      if (in[m][i] != out[m][i] && ++wrong == 1)
        printf("rank %d: double %d of message %d is %g, not %g\n", rank, i, m, in[m][i], out[m][i]);
  for (int m = 0; m < 2 * messages; ++m) MPI_Request_free(&requests[m]);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && !wrong) printf("right\n");
  MPI_Finalize();
  return wrong > 0;
}
