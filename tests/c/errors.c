// Errors of each kind: their codes, and the lines that C++ has for them.

#include "check.h"

#include <math.h>
#include <string.h>

static void test_arguments(void) {
  const int64_t cells[2] = {10, 10};
  const int peer[1] = {0}, few[1] = {-2};
  halocline_grid* grid = NULL;
  halocline_pattern *pattern = NULL, *other = NULL;
  halocline_exchange* exchange = NULL;
  halocline_field field;
  halocline_link facts;
  double x[4] = {0, 0, 0, 0};
  int axes = 0;
  const int wrong = HALOCLINE_ERROR_ARGUMENT;
  FAILS(halocline_grid_axes(NULL, &axes), wrong, "halocline_grid_axes: grid is NULL");
  FAILS(halocline_grid_create(comm, 2, cells, NULL, NULL), wrong, "grid is NULL");
  FAILS(halocline_grid_create(comm, 2, NULL, NULL, &grid), wrong, "cells is NULL");
  FAILS(halocline_grid_create(comm, -1, cells, NULL, &grid), wrong, "axes is -1, must be >= 0");
  CHECK(grid == NULL);
  FAILS(halocline_exchange_run(NULL), wrong, "halocline_exchange_run: exchange is NULL");
  FAILS(halocline_exchange_run(exchange), wrong, "exchange is NULL");
  MUST(halocline_exchange_free(&exchange));
  MUST(halocline_exchange_free(NULL));
  MUST(halocline_pattern_create(&pattern));
  FAILS(halocline_pattern_send(pattern, 0, NULL), wrong, "block is NULL");
  FAILS(halocline_pattern_link(pattern, HALOCLINE_SENDS, 3, &facts), wrong,
        "there is no link 3 of 0");
  FAILS(halocline_pattern_link(pattern, 9, 0, &facts), wrong, "side is 9, which none");
  FAILS(halocline_pattern_from_indices(1, peer, few, NULL, 0, NULL, NULL, NULL, &other),
        HALOCLINE_ERROR, "-2");
  FAILS(halocline_field_of(x, 99, 1, 4, &field), wrong, "number is 99");
  FAILS(halocline_field_of(x, HALOCLINE_FLOAT64, 0, 4, &field), wrong,
        "numbers is 0, must be >= 1");
  FAILS(halocline_field_of(x, HALOCLINE_FLOAT64, INT64_MAX, 4, &field), HALOCLINE_ERROR_MEMORY,
        "out of memory");
  MUST(halocline_field_of(x, HALOCLINE_FLOAT64, 1, 4, &field));
  FAILS(halocline_exchange_create(comm, NULL, &field, 1, "p2p:nonblocking", NULL, &exchange), wrong,
        "pattern is NULL");
  FAILS(halocline_exchange_create(comm, pattern, NULL, 1, "p2p:nonblocking", NULL, &exchange),
        wrong, "fields is NULL");
  FAILS(halocline_exchange_create(comm, pattern, &field, 1, "", NULL, &exchange), HALOCLINE_ERROR,
        "the scheme is empty");
  MUST(halocline_pattern_free(&pattern));
}

/// What one rank gets wrong before ranks make something together is told to all.
static void test_of_one_rank(void) {
  const int wrong = HALOCLINE_ERROR_ARGUMENT, last = me == ranks - 1, peer[1] = {me};
  const int64_t number[1] = {0};
  const char* scheme = last ? "" : "p2p:nonblocking";
  const int64_t bytes = last ? -8 : 8;
  double x[1] = {0};
  halocline_field field;
  halocline_pattern* pattern = NULL;
  halocline_memory* memory = NULL;
  halocline_array* array = NULL;
  halocline_arena* arena = NULL;
  halocline_exchange* exchange = NULL;
  halocline_ragged_exchange* ragged = NULL;
  halocline_gather_scatter* sums = NULL;
  halocline_async_exchange* asynchronous = NULL;
  halocline_section* section = NULL;
  halocline_exchange_options options = HALOCLINE_EXCHANGE_OPTIONS;
  MUST(halocline_pattern_create(&pattern));
  MUST(halocline_field_of(x, HALOCLINE_FLOAT64, 1, 1, &field));
  FAILS(halocline_exchange_create(comm, pattern, &field, 1, scheme, NULL, &exchange),
        HALOCLINE_ERROR, "the scheme is empty");
  options.size = last ? 0 : options.size;
  FAILS(halocline_exchange_create(comm, pattern, &field, 1, NULL, &options, &exchange), wrong,
        "options.size is 0");
  options.size = (int64_t)sizeof options;
  FAILS(halocline_exchange_create(comm, pattern, &field, 1, last ? "p2q" : "p2p:nonblocking", NULL,
                                  &exchange),
        HALOCLINE_ERROR, "p2q");
  options.halos = last ? 7 : 0;
  FAILS(halocline_exchange_create_between(comm, pattern, &field, &field, 1, "p2p:nonblocking",
                                          &options, &exchange),
        wrong, "halos is 7");
  FAILS(halocline_memory_create(comm, bytes, HALOCLINE_SHARED, NULL, &memory), wrong,
        "bytes is -8");
  FAILS(halocline_memory_create_for(comm, bytes, "shm:signal", &memory), wrong, "bytes is -8");
  FAILS(halocline_array_create(comm, 8, last ? 99 : HALOCLINE_FLOAT64, 1, "shm:signal", &array),
        wrong, "number is 99");
  FAILS(halocline_array_create(comm, last ? INT64_MAX / 2 : 8, HALOCLINE_FLOAT64, 1, "shm:signal",
                               &array),
        HALOCLINE_ERROR_MEMORY, "out of memory");
  FAILS(halocline_arena_create(comm, 8, scheme, &arena), HALOCLINE_ERROR, "the scheme is empty");
  FAILS(halocline_ragged_exchange_create(comm, 1, peer, 1, last ? NULL : peer, 8, 0,
                                         "p2p:nonblocking", &ragged),
        wrong, "sources is NULL");
  FAILS(halocline_gather_scatter_create(comm, 1, last ? NULL : number, &field, 1, "p2p:nonblocking",
                                        NULL, &sums),
        wrong, "numbers is NULL");
  FAILS(halocline_async_exchange_create(comm, last ? NULL : pattern, 8, "p2p:nonblocking", NULL,
                                        &asynchronous),
        wrong, "pattern is NULL");
  FAILS(halocline_section_create(comm, NULL, last ? 1 : 0, &section), wrong, "exchanges is NULL");
  MUST(halocline_pattern_free(&pattern));
}

static void test_same_lines(void) {
  const int64_t cells[1] = {2};
  halocline_grid_options options = HALOCLINE_GRID_OPTIONS;
  halocline_grid* grid = NULL;
  const char* text = NULL;
  const char* bad[3] = {"p2p:nonblokcing", "shm:signal+acces=copy", ""};
  int i;
  for (i = 0; i < 3; ++i) {
    FAILS(halocline_scheme_str(bad[i], &text), HALOCLINE_ERROR, scheme_error(bad[i]));
    CHECK(strlen(halocline_last_error()) > 0 &&
          strcmp(halocline_last_error(), scheme_error(bad[i])) == 0);
  }
  options.halo[0].below = options.halo[0].above = 3;
  options.periodic[0] = 0;
  if (ranks > 1) {
    FAILS(halocline_grid_create(comm, 1, cells, &options, &grid), HALOCLINE_ERROR, "halo");
    CHECK(strcmp(halocline_last_error(), grid_error(2, 3)) == 0);
  }
  // What succeeds leaves the last line.
  FAILS(halocline_scheme_str("no such thing", &text), HALOCLINE_ERROR, "no such thing");
  MUST(halocline_scheme_str("p2p:nonblocking", &text));
  CHECK(strstr(halocline_last_error(), "no such thing") != NULL);
  CHECK(other_threads_errors_are_theirs());
}

static void test_schemes(void) {
  const char* text = NULL;
  int yes = 0, kind = -1;
  MUST(halocline_scheme_with("shm:signal", "access", "copy", &text));
  CHECK(strcmp(text, "shm:signal+access=copy") == 0);
  MUST(halocline_scheme_option("shm:signal+access=copy", "access", &text));
  CHECK(strcmp(text, "copy") == 0);
  MUST(halocline_scheme_without("shm:signal+access=copy", "access", &text));
  CHECK(strcmp(text, "shm:signal") == 0);
  MUST(halocline_scheme_method("shm:signal+access=copy", &text));
  CHECK(strcmp(text, "shm:signal") == 0);
  MUST(halocline_scheme_full("shm:signal", &text));
  CHECK(strstr(text, "access=") != NULL);
  MUST(halocline_scheme_matches("rma:put:fence", "rma:*", &yes));
  CHECK(yes);
  MUST(halocline_scheme_reads_in_place("shm:signal+access=direct", &yes));
  CHECK(yes);
  MUST(halocline_scheme_memory("shm:signal+access=direct", &kind));
  CHECK(kind == HALOCLINE_SHARED);
  MUST(halocline_scheme_combinations(&text));
  CHECK(strstr(text, "shm:signal+access=direct\n") != NULL);
  MUST(halocline_scheme_options_help(&text));
  CHECK(strlen(text) > 100);
}

/// Fields that do not fit, and steps in the wrong order.
static void test_order(void) {
  const halocline_block low = {0, {1, 1, 2}, {0, 0}, 0}, more = {2, {1, 1, 3}, {0, 0}, 0};
  halocline_pattern* ring = NULL;
  halocline_exchange* exchange = NULL;
  halocline_exchange_options options = HALOCLINE_EXCHANGE_OPTIONS;
  halocline_field field, none;
  double x[4] = {1, 2, 3, 4};
  const int wrong = HALOCLINE_ERROR;
  FAILS(halocline_pattern_shift(0, &low, 0, &more, &ring), wrong, "a shift sends 2");
  CHECK(ring == NULL);
  make_ring(2, &ring);
  MUST(halocline_field_of(x, HALOCLINE_FLOAT64, 1, 3, &field));
  FAILS(halocline_exchange_create(comm, ring, &field, 1, "p2p:nonblocking", NULL, &exchange), wrong,
        "3 elements");
  field.elements = 4;
  field.read_only = 1;
  FAILS(halocline_exchange_create(comm, ring, &field, 1, "p2p:nonblocking", NULL, &exchange), wrong,
        "constant");
  field.read_only = 0;
  options.combine.how = HALOCLINE_SUM;
  field.number = HALOCLINE_BYTES;
  FAILS(halocline_exchange_create(comm, ring, &field, 1, "p2p:nonblocking", &options, &exchange),
        wrong, "unknown type");
  field.number = HALOCLINE_FLOAT64;
  FAILS(
      halocline_exchange_create(comm, ring, &field, 1, "rma:accumulate:fence", &options, &exchange),
      wrong, "any_order");
  options.any_order = 1;
  MUST(halocline_exchange_create(comm, ring, &field, 1, "rma:accumulate:fence", &options,
                                 &exchange));
  MUST(halocline_exchange_free(&exchange));
  options.combine.how = HALOCLINE_FUNCTION;
  FAILS(halocline_exchange_create(comm, ring, &field, 1, "p2p:nonblocking", &options, &exchange),
        HALOCLINE_ERROR_ARGUMENT, "combine.function is NULL");
  MUST(halocline_exchange_create(comm, ring, &field, 1, "p2p:nonblocking", NULL, &exchange));
  FAILS(halocline_exchange_finish(exchange), wrong, "finish");
  MUST(halocline_exchange_start(exchange));
  FAILS(halocline_exchange_start(exchange), wrong, "start");
  MUST(halocline_exchange_finish(exchange));
  MUST(halocline_exchange_run_fields(exchange, &field, 1));
  field.data = x + 1;
  FAILS(halocline_exchange_run_fields(exchange, &field, 1), wrong, "lies elsewhere");
  field.data = x;
  FAILS(halocline_exchange_ready(exchange, 7, 0, 1), wrong, "no step is open");
  FAILS(halocline_exchange_start_stream(exchange, NULL), wrong, "device");
  FAILS(halocline_exchange_finish_stream(exchange, NULL), wrong, "no step is under way");
  MUST(halocline_exchange_open(exchange));
  if (ranks > 1) MUST(halocline_exchange_ready(exchange, 0, 0, 2));
  MUST(halocline_exchange_finish(exchange));
  FAILS(halocline_exchange_change(exchange, ring, NULL, 0), wrong, "changes");
  MUST(halocline_exchange_free(&exchange));
  MUST(halocline_pattern_free(&ring));
  make_ring(2, &ring);
  MUST(halocline_field_unbound(HALOCLINE_FLOAT64, 1, &none));
  MUST(halocline_exchange_create(comm, ring, &none, 1, "p2p:nonblocking", NULL, &exchange));
  FAILS(halocline_exchange_run(exchange), wrong, "give it fields at each step");
  MUST(halocline_exchange_run_fields(exchange, &field, 1));
  MUST(halocline_exchange_free(&exchange));
  MUST(halocline_pattern_free(&ring));
}

/// A rank that waits in vain is told so; then its peers come.
static void test_limits(void) {
  int crowded = 0;
  halocline_pattern* ring = NULL;
  halocline_exchange* exchange = NULL;
  halocline_field field;
  halocline_patience before_it = HALOCLINE_PATIENCE, patience = HALOCLINE_PATIENCE;
  double x[4] = {1, 2, 3, 4};
  MUST(halocline_patience_get(&before_it));
  CHECK(isinf(before_it.timeout) && before_it.stuck == NULL);
  MUST(halocline_crowded(comm, &crowded));
  MUST(halocline_patience_detect(comm));
  MUST(halocline_patience_heed_environment());
  MUST(halocline_patience_get(&patience));
  CHECK(!crowded || patience.yield);
  patience = before_it;
  patience.timeout = 0;
  FAILS(halocline_patience_set(&patience), HALOCLINE_ERROR_ARGUMENT, "must be above 0");
  patience = before_it;
  patience.spin = -1;
  FAILS(halocline_patience_set(&patience), HALOCLINE_ERROR_ARGUMENT, "must not be below 0");
  patience.spin = 0.001;
  MUST(halocline_patience_set(&patience));
  MUST(halocline_patience_get(&patience));
  CHECK(patience.spin == 0.001);
  MUST(halocline_patience_set(&before_it));
  MUST(halocline_field_of(x, HALOCLINE_FLOAT64, 1, 4, &field));
  make_ring(2, &ring);
  MUST(halocline_exchange_create(comm, ring, &field, 1, "p2p:nonblocking", NULL, &exchange));
  if (me == 0 && ranks > 1) {
    patience.timeout = 0.3;
    patience.remedy = "this test's limit";
    patience.stuck = halocline_end_process;
    MUST(halocline_patience_set(&patience));
    MUST(halocline_patience_get(&patience));
    CHECK(patience.timeout == 0.3 && patience.stuck == halocline_end_process);
    MUST(halocline_exchange_start(exchange));
    FAILS(halocline_exchange_finish(exchange), HALOCLINE_ERROR_TIMEOUT, "this test's limit");
    MUST(halocline_patience_set(&before_it));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (me != 0 || ranks == 1) MUST(halocline_exchange_run(exchange));
  MPI_Barrier(MPI_COMM_WORLD);
  MUST(halocline_exchange_free(&exchange));
  MUST(halocline_pattern_free(&ring));
}

static void test_communicator_errors(void) {
  halocline_comm none = halocline_comm_of(MPI_COMM_NULL);
  int rank = -1;
  FAILS(halocline_rank(none, &rank), HALOCLINE_ERROR, "MPI_COMM_NULL has no ranks");
  FAILS(halocline_comm_at(NULL, &none), HALOCLINE_ERROR_ARGUMENT, "address is NULL");
}

void test_errors(void) {
  test_arguments();
  test_of_one_rank();
  test_same_lines();
  test_schemes();
  test_order();
  test_communicator_errors();
  test_limits();
}
