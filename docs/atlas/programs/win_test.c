/* Who polls MPI_Win_test lets nothing else go on.
 *
 * MPI 4.0, section 3.5: a send completes when its receive has begun, whatever else its ranks do;
 * MPI 4.1 has MPI_Win_test make as much progress as MPI_Test (the Forum's issue 499). Here rank 1
 * receives, then polls MPI_Win_test for rank 0, which sends before it starts. osc/sm
 * (MPI_Win_allocate) looks at a counter and nothing else, so MPI_Ssend does not return. No more
 * does an MPI_Accumulate into another window, of osc/rdma (MPI_Win_create), whose target polls so.
 * Halocline probes for a message between the polls; so can any program.
 *
 * ranks: 2
 * schemes:
 * broken: Open MPI 5.0.11
 * sound: MPICH 4.0.2, MPICH 5.0.2, Intel MPI 2021.18.1, Open MPI 4.1.4
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void give_up(int number) {
  static const char words[] = "MPI_Ssend has not returned for 10 s\n";
  (void)number;
  if (write(STDOUT_FILENO, words, sizeof words - 1)) _exit(1);
}

int main(int argc, char** argv) {
  double* mine;
  MPI_Win window;
  MPI_Group all, other;
  MPI_Request request;
  int rank, peer, done = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  peer = 1 - rank;
  MPI_Win_allocate(sizeof(double), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &window);
  MPI_Win_get_group(window, &all);
  MPI_Group_incl(all, 1, &peer, &other);
  if (rank == 0) {
    usleep(200000); /* rank 1 polls now */
    signal(SIGALRM, give_up);
    alarm(10);
    MPI_Ssend(NULL, 0, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
    MPI_Win_start(other, 0, window);
    MPI_Win_complete(window);
    printf("right\n");
  } else {
    MPI_Irecv(NULL, 0, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &request);
    MPI_Win_post(other, 0, window);
    while (!done) MPI_Win_test(window, &done);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Group_free(&other);
  MPI_Group_free(&all);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
