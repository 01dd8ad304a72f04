/* MPI_Testall fails on persistent collective requests.
 *
 * MPI 4.0, sections 3.7.5 and 6.13: requests of collectives may be completed by MPI_Testall like
 * any other. Here two persistent barriers are started and tested; MPI_ERR_IN_STATUS comes back.
 * Halocline tests one request at a time.
 *
 * ranks: 2
 * schemes:
 * broken: MPICH 4.0.2, MPICH 5.0.2, Intel MPI 2021.18.1
 * sound: Open MPI 5.0.11
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Request requests[2];
  MPI_Comm comms[2];
  int rank, done = 0, code = MPI_SUCCESS;
  alarm(30);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < 2; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    MPI_Barrier_init(comms[i], MPI_INFO_NULL, &requests[i]);
  }
  for (int step = 0; step < 100 && code == MPI_SUCCESS; ++step) {
    MPI_Startall(2, requests);
    do code = MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
    while (code == MPI_SUCCESS && !done);
  }
  if (code != MPI_SUCCESS) {
    char words[MPI_MAX_ERROR_STRING];
    int length;
    MPI_Error_string(code, words, &length);
    printf("rank %d: MPI_Testall: %s\n", rank, words);
    fflush(stdout);
    usleep(100000); /* mpiexec may drop words of a job that aborts */
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int i = 0; i < 2; ++i) {
    MPI_Request_free(&requests[i]);
    MPI_Comm_free(&comms[i]);
  }
  if (rank == 0) printf("right\n");
  MPI_Finalize();
  return 0;
}
