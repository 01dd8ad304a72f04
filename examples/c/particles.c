// Particles that move around a ring of ranks, in C: each step others leave, as many as there are.
// particles SCHEME PARTICLES STEPS

#include <mpi.h>

#include <halocline/halocline.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct particle {
  double position, velocity;  // in [0, 1)
  int64_t number;
} particle;

static void must(int code) {
  if (code != HALOCLINE_SUCCESS) halocline_end_job("particles", halocline_last_error());
}

int main(int argc, char** argv) {
  const char* scheme = argc > 1 ? argv[1] : "auto";
  const int all = argc > 2 ? atoi(argv[2]) : 1000;
  const int steps = argc > 3 ? atoi(argv[3]) : 100;
  int me, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  particle* mine = malloc(sizeof(particle) * (size_t)all);
  int64_t count = 0;
  for (int i = 0; i < all; ++i) {
    const particle one = {(i + 0.5) / all, ((i * 37) % 101 - 50) / 10000.0, i};
    if ((int)(one.position * ranks) == me) mine[count++] = one;
  }

  const int beside[2] = {(me + 1) % ranks, (me + ranks - 1) % ranks};   // above, below
  const int sources[2] = {(me + ranks - 1) % ranks, (me + 1) % ranks};  // who goes up, and down
  halocline_ragged_exchange* migration;
  must(halocline_ragged_exchange_create(halocline_comm_of(MPI_COMM_WORLD), 2, beside, 2, sources,
                                        sizeof(particle), 16, scheme, &migration));
  particle* leaving[2];
  for (int way = 0; way < 2; ++way) leaving[way] = malloc(sizeof(particle) * (size_t)all);

  for (int step = 0; step < steps; ++step) {
    int64_t stay = 0, leave[2] = {0, 0};
    for (int64_t i = 0; i < count; ++i) {
      particle one = mine[i];
      const int up = one.velocity > 0;
      one.position += one.velocity;
      one.position -= floor(one.position);
      if ((int)(one.position * ranks) == me)
        mine[stay++] = one;
      else
        leaving[!up][leave[!up]++] = one;
    }
    count = stay;
    for (int way = 0; way < 2; ++way)
      must(halocline_ragged_exchange_send(migration, way, leaving[way], leave[way]));
    must(halocline_ragged_exchange_run(migration));
    for (int way = 0; way < 2; ++way) {
      const void* came;
      int64_t arrived;
      must(halocline_ragged_exchange_received(migration, way, &came, &arrived));
      for (int64_t i = 0; i < arrived; ++i) mine[count++] = ((const particle*)came)[i];
    }
  }

  // Each particle is with one rank, and where it would be had it never travelled.
  int64_t sums[2] = {count, 0};
  double last = 0;
  for (int64_t i = 0; i < count; ++i) {
    sums[1] += mine[i].number;
    if (mine[i].number == all - 1) last = mine[i].position;
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (me == 0)
    printf("%lld particles, sum of numbers %lld, the last one is at %.15g\n", (long long)sums[0],
           (long long)sums[1], last);

  must(halocline_ragged_exchange_free(&migration));
  for (int way = 0; way < 2; ++way) free(leaving[way]);
  free(mine);
  return MPI_Finalize();
}
