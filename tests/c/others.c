// Ragged exchanges, gather-scatter and asynchronous exchanges.

#include "check.h"

#include <string.h>

/// Each step sends another number of elements around a ring.
static void test_ragged(void) {
  const int after[1] = {(me + 1) % ranks}, before[1] = {(me + ranks - 1) % ranks};
  halocline_ragged_exchange* exchange = NULL;
  const char* scheme = NULL;
  halocline_comm on = 0;
  int step, i, rank = -1;
  MUST(halocline_ragged_exchange_create(comm, 1, after, 1, before, (int64_t)sizeof(int), 4,
                                        "p2p:nonblocking", &exchange));
  MUST(halocline_ragged_exchange_comm(exchange, &on));
  MUST(halocline_rank(on, &rank));
  CHECK(rank == me);
  MUST(halocline_ragged_exchange_scheme(exchange, &scheme));
  CHECK(strcmp(scheme, "p2p:nonblocking") == 0);
  for (step = 0; step < 5; ++step) {
    int numbers[40];
    const int count = (me + 7 * step) % 20, theirs = (before[0] + 7 * step) % 20;
    const void* came = NULL;
    void* room = NULL;
    int64_t arrived = -1;
    for (i = 0; i < count; ++i) numbers[i] = 1000 * me + 20 * step + i;
    if (step % 2 == 0) {
      MUST(halocline_ragged_exchange_send(exchange, 0, numbers, count));
    } else {
      MUST(halocline_ragged_exchange_outgoing(exchange, 0, count, &room));
      if (count > 0) memcpy(room, numbers, (size_t)count * sizeof(int));
    }
    if (step == 4) {
      MUST(halocline_ragged_exchange_run(exchange));
    } else {
      MUST(halocline_ragged_exchange_start(exchange));
      MUST(halocline_ragged_exchange_finish(exchange));
    }
    MUST(halocline_ragged_exchange_received(exchange, 0, &came, &arrived));
    CHECK(arrived == theirs);
    for (i = 0; i < theirs && i < arrived; ++i)
      CHECK(((const int*)came)[i] == 1000 * before[0] + 20 * step + i);
  }
  MUST(halocline_ragged_exchange_free(&exchange));
}

/// Elements of three nodes each, which share their ends; two fields in the same messages.
static void test_gather_scatter(void) {
  int64_t numbers[3];
  float x[3];
  double y[3], z[3];
  halocline_field fields[2], none;
  halocline_gather_scatter* sums = NULL;
  halocline_gather_scatter_options options = HALOCLINE_GATHER_SCATTER_OPTIONS;
  const char* scheme = NULL;
  halocline_comm on = 0;
  int64_t bytes = -1;
  int i, rank = -1;
  for (i = 0; i < 3; ++i) {
    numbers[i] = 2 * me + i;
    x[i] = (float)(i + 1);
    y[i] = 10 * (i + 1);
  }
  MUST(halocline_field_of(x, HALOCLINE_FLOAT32, 1, 3, &fields[0]));
  MUST(halocline_field_of(y, HALOCLINE_FLOAT64, 1, 3, &fields[1]));
  MUST(
      halocline_gather_scatter_create(comm, 3, numbers, fields, 2, "p2p:nonblocking", NULL, &sums));
  MUST(halocline_gather_scatter_scheme(sums, &scheme));
  MUST(halocline_gather_scatter_run(sums));
  CHECK(x[1] == 2 && y[1] == 20);
  CHECK(x[0] == (me > 0 ? 4 : 1) && y[0] == (me > 0 ? 40 : 10));
  CHECK(x[2] == (me < ranks - 1 ? 4 : 3) && y[2] == (me < ranks - 1 ? 40 : 30));
  MUST(halocline_gather_scatter_bytes_sent(sums, &bytes));
  CHECK(ranks == 1 ? bytes == 0 : bytes > 0);
  MUST(halocline_gather_scatter_free(&sums));
  options.combine.how = HALOCLINE_MAX;
  for (i = 0; i < 3; ++i) x[i] = (float)(me + i);
  MUST(halocline_gather_scatter_create(comm, 3, numbers, fields, 1, "shm:signal", &options, &sums));
  MUST(halocline_gather_scatter_start(sums));
  MUST(halocline_gather_scatter_finish(sums));
  CHECK(x[0] == (float)(me > 0 ? me + 1 : 0));
  MUST(halocline_gather_scatter_free(&sums));
  // Other arrays at each step.
  MUST(halocline_field_unbound(HALOCLINE_FLOAT64, 1, &none));
  MUST(halocline_gather_scatter_create(comm, 3, numbers, &none, 1, "p2p:nonblocking", NULL, &sums));
  MUST(halocline_gather_scatter_comm(sums, &on));
  MUST(halocline_rank(on, &rank));
  CHECK(rank == me);
  for (i = 0; i < 3; ++i) y[i] = z[i] = i + 1;
  MUST(halocline_gather_scatter_run_fields(sums, &fields[1], 1));
  CHECK(y[0] == (me > 0 ? 4 : 1));
  MUST(halocline_field_of(z, HALOCLINE_FLOAT64, 1, 3, &fields[1]));
  MUST(halocline_gather_scatter_start_fields(sums, &fields[1], 1));
  MUST(halocline_gather_scatter_finish(sums));
  CHECK(z[2] == (me < ranks - 1 ? 4 : 3));
  MUST(halocline_gather_scatter_free(&sums));
}

static void test_async(void) {
  const int before = (me + ranks - 1) % ranks;
  halocline_async_options options = HALOCLINE_ASYNC_OPTIONS, used = HALOCLINE_ASYNC_OPTIONS;
  halocline_async_counts counts;
  halocline_pattern* ring = NULL;
  halocline_async_exchange* exchange = NULL;
  const char* scheme = NULL;
  uint64_t iteration = 0;
  int64_t fresh = 0;
  double x[2] = {0, -1};
  int links = 0;
  options.buffers = 2;
  make_ring(1, &ring);
  MUST(halocline_async_exchange_create(comm, ring, (int64_t)sizeof(double), "p2p:nonblocking",
                                       &options, &exchange));
  x[0] = me + 0.5;
  MUST(halocline_async_exchange_send(exchange, x, 1));
  MUST(halocline_async_exchange_receive(exchange, x, NULL, &fresh));
  MUST(halocline_async_exchange_receive(exchange, x, NULL, NULL));
  MUST(halocline_async_exchange_drain(exchange, x, NULL));
  CHECK(x[1] == before + 0.5);
  MUST(halocline_async_exchange_counts(exchange, &counts));
  CHECK(counts.sent <= 1);
  MUST(halocline_pattern_links(ring, HALOCLINE_RECEIVES, &links));
  if (links > 0) {
    MUST(halocline_async_exchange_iteration_of(exchange, 0, &iteration));
    CHECK(iteration == 1);
  }
  MUST(halocline_async_exchange_options(exchange, &used));
  CHECK(used.buffers == 2 && !used.racy);
  MUST(halocline_async_exchange_scheme(exchange, &scheme));
  CHECK(strcmp(scheme, "p2p:nonblocking") == 0);
  MUST(halocline_async_exchange_free(&exchange));
  MUST(halocline_pattern_free(&ring));
}

void test_others(void) {
  test_ragged();
  test_gather_scatter();
  test_async();
}
