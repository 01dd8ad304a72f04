/* MPI_Win_free frees what transfers still need that are complete.
 *
 * MPI 4.0, section 12.2.5: a window may be freed when what was asked of it is complete. Here rank 0
 * sends 100 messages and accumulates 8 bytes. osc/rdma takes that for complete when rank 1 answers,
 * but the buffers of all 101 come back to a queue, of which each look takes 31; with the last one
 * btl_base_am_rdma.c calls what it reads in the window's memory, which the program has by then. To
 * look no earlier, rank 0 sleeps. A put fails alike. Halocline sends each target an empty
 * synchronous message first, whose buffer comes back last; so can any program.
 *
 * ranks: 2
 * schemes:
 * broken: Open MPI 5.0.11
 * sound: MPICH 5.0.2
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { messages = 100, bytes = 2048, rounds = 5 };

static void give_up(int number) {
  static const char words[] = "SIGSEGV after MPI_Win_free, in memory that MPI has given back\n";
  (void)number;
  if (write(STDOUT_FILENO, words, sizeof words - 1)) usleep(100000); /* the launcher reads it */
  _exit(1);
}

int main(int argc, char** argv) {
  static char sent[messages][bytes], got[messages][bytes];
  MPI_Request requests[messages];
  MPI_Win window;
  double mine = 0, one = 1;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  signal(SIGSEGV, give_up);
  for (int round = 0; round < rounds; ++round) {
    MPI_Win_create(&mine, sizeof mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock_all(0, window);
    for (int i = 0; i < messages; ++i)
      rank == 0 ? MPI_Isend(sent[i], bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[i])
                : MPI_Irecv(got[i], bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[i]);
    if (rank == 0) {
      MPI_Accumulate(&one, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, MPI_REPLACE, window);
      usleep(200000); /* rank 1 is in MPI_Win_free now */
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    for (int i = 0; i < 50; ++i) memset(malloc(96), 0x7f, 96);
    MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE);
  }
  if (rank == 0) printf("right\n");
  MPI_Finalize();
  return 0;
}
