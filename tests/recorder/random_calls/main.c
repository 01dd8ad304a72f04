// Random but valid calls of MPI, the same for the same seed and number of ranks, each of which is
// written to a plain log, and all of whose data are checked. Nothing of Halocline is in it.
//
//     mpiexec -n 4 random_calls SEED PHASES [LOG [COMMUNICATORS [messages]]]
//
// Rank R writes LOG.R. So many communicators are made and freed at the end. With `messages` there
// is nothing else.

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

#include "calls.h"
#include "dice.h"
#include "groups.h"
#include "layouts.h"
#include "messages.h"
#include "plain_log.h"

enum { attached = 1 << 20 };

static int messages_only;

static void phase(Dice* dice) {
  const int kind = below(dice, messages_only ? 18 : 24);
  const Group* on = &group[one_in(dice, 2) ? 0 : below(dice, groups)];
  Dice own;
  own.state = draw(dice);  // so that those who are no members lose nothing
  if (kind < 2) {
    make_groups(dice);
  } else if (kind == 2) {
    free_a_group(dice);
  } else if (kind == 3) {
    renew_layout(dice, basics + below(dice, layouts - basics));
  } else if (on->me >= 0) {
    switch (kind) {
      case 4:
      case 5:
      case 6:
      case 7: nonblocking(&own, on); break;
      case 8:
      case 9:
      case 10: blocking(&own, on); break;
      case 11:
      case 12: wildcards(&own, on); break;
      case 13:
      case 14: shifts(&own, on); break;
      case 15:
      case 16: persistent(&own, on); break;
      case 17: partitioned(&own, on); break;
      case 18: grids(&own, on); break;
      case 19: graphs(&own, on); break;
      case 20:
      case 21: windows(&own, on); break;
      default: collectives(&own, on);
    }
  }
}

int main(int argc, char** argv) {
  const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  const int phases = argc > 2 ? atoi(argv[2]) : 40, communicators = argc > 4 ? atoi(argv[4]) : 0;
  Dice dice = {seed * 1000003};
  void* buffer = malloc(attached);
  int turn, size;
  double begin, end;
  messages_only = argc > 5;
  MPI_Init(&argc, &argv);
  begin = log_clock();
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  log_open(argc > 3 ? argv[3] : NULL, world_rank);
  log_fact("constants proc_null=%d any_source=%d any_tag=%d", MPI_PROC_NULL, MPI_ANY_SOURCE,
           MPI_ANY_TAG);
  make_world();
  make_layouts(&dice);
  for (turn = 0; turn < phases; ++turn) {
    number_groups_from(1000 * (turn + 1));
    MPI_Buffer_attach(buffer, attached);
    phase(&dice);
    MPI_Buffer_detach(&buffer, &size);
  }
  number_groups_from(1000 * (turn + 1));
  make_and_free(&dice, communicators);
  while (groups > 1) free_a_group(&dice);
  free_layouts();
  end = log_clock();
  log_fact("run begin=%.9f end=%.9f", begin, end);
  log_close();
  if (world_rank == 0) printf("all data are right: seed %llu\n", (unsigned long long)seed);
  MPI_Finalize();
  free(buffer);
  return 0;
}
