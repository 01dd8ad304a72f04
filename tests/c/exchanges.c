// Exchanges: the same bytes as by C++ over random patterns, by every scheme; and all ways to make
// and to run one.

#include "check.h"

#include <stdlib.h>
#include <string.h>

static void test_random_pattern(uint64_t* state, const char* scheme, int of_the_library) {
  static move moves[most_moves];
  int count = 0, step, is_auto = strcmp(scheme, "auto") == 0;
  const int64_t elements = random_moves(state, 80, moves, &count), bytes = elements * element;
  halocline_pattern* pattern = NULL;
  halocline_exchange* exchange = NULL;
  halocline_array* array = NULL;
  halocline_field field;
  const char *name = NULL, *hint = NULL;
  unsigned char *data, *own = NULL, *right;
  MUST(halocline_pattern_create(&pattern));
  add_moves(moves, count, pattern);
  if (of_the_library) {
    MUST(halocline_array_create(comm, elements, HALOCLINE_FLOAT64, 3, scheme, &array));
    MUST(halocline_array_field(array, &field));
  } else {
    own = (unsigned char*)malloc((size_t)bytes);
    MUST(halocline_field_of(own, HALOCLINE_BYTES, element, elements, &field));
  }
  data = (unsigned char*)field.data;
  fill(data, bytes, -1);
  MUST(halocline_exchange_create(comm, pattern, &field, 1, scheme, NULL, &exchange));
  MUST(halocline_pattern_free(&pattern));
  MUST(halocline_exchange_scheme(exchange, &name));
  CHECK(is_auto || strcmp(name, scheme) == 0);
  MUST(halocline_exchange_memory_hint(exchange, &hint));
  CHECK(!of_the_library || *hint == '\0');
  for (step = 0; step < 3; ++step) {
    fill(data, bytes, step);
    right = expected(moves, count, data, elements);
    if (step == 1) {
      MUST(halocline_exchange_run(exchange));
    } else {
      MUST(halocline_exchange_start(exchange));
      MUST(halocline_exchange_finish(exchange));
    }
    check_that(memcmp(data, right, (size_t)bytes) == 0, __FILE__, __LINE__, scheme);
    free(right);
  }
  MUST(halocline_exchange_free(&exchange));
  MUST(halocline_array_free(&array));
  free(own);
}

/// One exchange for arrays that are given at each step, and one that marks elements ready.
static void test_other_arrays(uint64_t* state) {
  static move moves[most_moves];
  int count = 0, step, link, links = 0, there = 0;
  const int64_t elements = random_moves(state, 80, moves, &count), bytes = elements * element;
  halocline_pattern *pattern = NULL, *same = NULL;
  halocline_exchange* exchange = NULL;
  halocline_field any_field, field;
  halocline_link facts;
  halocline_comm on = 0;
  int64_t sent = 0, sent_bytes = 0;
  int rank = -1;
  MUST(halocline_pattern_create(&pattern));
  add_moves(moves, count, pattern);
  MUST(halocline_field_unbound(HALOCLINE_FLOAT64, 3, &any_field));
  MUST(halocline_exchange_create(comm, pattern, &any_field, 1, "p2p:nonblocking", NULL, &exchange));
  MUST(halocline_exchange_comm(exchange, &on));
  MUST(halocline_rank(on, &rank));
  MUST(halocline_pattern_elements_sent(pattern, &sent));
  MUST(halocline_exchange_bytes_sent(exchange, &sent_bytes));
  CHECK(rank == me && sent_bytes == sent * element);
  for (step = 0; step < 4; ++step) {
    unsigned char* data = (unsigned char*)malloc((size_t)bytes);
    unsigned char* right;
    fill(data, bytes, step);
    right = expected(moves, count, data, elements);
    MUST(halocline_field_of(data, HALOCLINE_FLOAT64, 3, elements, &field));
    if (step == 0) {
      MUST(halocline_exchange_run_fields(exchange, &field, 1));
    } else if (step == 1) {
      MUST(halocline_exchange_start_fields(exchange, &field, 1));
      MUST(halocline_exchange_finish(exchange));
    } else {
      MUST(halocline_exchange_open_fields(exchange, &field, 1));
      MUST(halocline_pattern_links(pattern, HALOCLINE_SENDS, &links));
      for (link = 0; link < links; ++link) {
        MUST(halocline_pattern_link(pattern, HALOCLINE_SENDS, link, &facts));
        MUST(halocline_exchange_ready(exchange, link, 0, facts.elements));
      }
      MUST(halocline_pattern_links(pattern, HALOCLINE_RECEIVES, &links));
      if (links > 0) MUST(halocline_exchange_await(exchange, 0, 0, 1, &there));
      MUST(halocline_exchange_finish(exchange));
    }
    CHECK(memcmp(data, right, (size_t)bytes) == 0);
    free(right);
    free(data);
  }
  MUST(halocline_exchange_pattern(exchange, &same));
  MUST(halocline_pattern_elements_sent(same, &sent_bytes));
  CHECK(sent_bytes == sent);
  MUST(halocline_pattern_free(&same));
  MUST(halocline_pattern_free(&pattern));
  MUST(halocline_exchange_free(&exchange));
}

/// A pattern that changes takes the links, and gives back the old ones.
static void test_changes(uint64_t* state) {
  static move moves[most_moves];
  halocline_exchange_options options = HALOCLINE_EXCHANGE_OPTIONS;
  halocline_pattern* pattern = NULL;
  halocline_exchange* exchange = NULL;
  halocline_field field;
  int step, peer, count = 0, links = -1;
  int64_t elements = 0;
  unsigned char* right;
  static unsigned char data[3000 * element];
  options.changes = 1;
  options.capacity = 5;
  MUST(halocline_pattern_create(&pattern));
  for (peer = 0; peer < ranks; ++peer)
    if (peer != me) {
      MUST(halocline_pattern_send_nothing(pattern, peer));
      MUST(halocline_pattern_receive_nothing(pattern, peer));
    }
  MUST(halocline_field_of(data, HALOCLINE_BYTES, element, 3000, &field));
  MUST(halocline_exchange_create(comm, pattern, &field, 1, "p2p:nonblocking", &options, &exchange));
  for (step = 0; step < 4; ++step) {
    MUST(halocline_pattern_free(&pattern));
    MUST(halocline_pattern_create(&pattern));
    elements = random_moves(state, 80, moves, &count);
    CHECK(elements <= 3000);
    add_moves(moves, count, pattern);
    if (step % 2 == 0)
      MUST(halocline_exchange_change(exchange, pattern, NULL, 0));
    else
      MUST(halocline_exchange_change(exchange, pattern, &field, 1));
    MUST(halocline_pattern_links(pattern, HALOCLINE_SENDS, &links));
    CHECK(step > 0 || links == ranks - 1);
    fill(data, (int64_t)sizeof data, step);
    right = expected(moves, count, data, 3000);
    MUST(halocline_exchange_run(exchange));
    CHECK(memcmp(data, right, sizeof data) == 0);
    free(right);
  }
  MUST(halocline_pattern_free(&pattern));
  MUST(halocline_exchange_free(&exchange));
}

/// Larger values win, each with its number.
typedef struct best {
  double value;
  int64_t who;
} best;

static void keep_larger(void* here, const void* arrived, int64_t count, void* context) {
  best* mine = (best*)here;
  const best* theirs = (const best*)arrived;
  int64_t i;
  for (i = 0; i < count; ++i)
    if (theirs[i].value > mine[i].value) mine[i] = theirs[i];
  *(int64_t*)context += count;
}

/// All send their elements to all others, which add them up, or keep the largest.
static void test_combining(void) {
  const halocline_block sent = {0, {1, 1, 3}, {0, 0}, 0}, received = {3, {1, 1, 3}, {0, 0}, 0};
  halocline_exchange_options options = HALOCLINE_EXCHANGE_OPTIONS;
  halocline_pattern* pattern = NULL;
  halocline_exchange* exchange = NULL;
  halocline_field field;
  double x[6];
  best y[6];
  int64_t calls = 0;
  int i, peer;
  MUST(halocline_pattern_create(&pattern));
  for (peer = 0; peer < ranks; ++peer)
    if (peer != me) {
      MUST(halocline_pattern_send(pattern, peer, &sent));
      MUST(halocline_pattern_receive(pattern, peer, &received));
    }
  for (i = 0; i < 3; ++i) {
    x[i] = 10 * me + i;
    x[3 + i] = 0.5;
    y[i].value = (me * 7 + i) % 4;
    y[i].who = me;
    y[3 + i].value = -1;
    y[3 + i].who = -1;
  }
  options.combine.how = HALOCLINE_SUM;
  MUST(halocline_field_of(x, HALOCLINE_FLOAT64, 1, 6, &field));
  MUST(halocline_exchange_create(comm, pattern, &field, 1, "p2p:nonblocking", &options, &exchange));
  MUST(halocline_exchange_run(exchange));
  for (i = 0; i < 3; ++i) {
    double sum = 0.5;
    for (peer = 0; peer < ranks; ++peer)
      if (peer != me) sum += 10 * peer + i;
    CHECK(x[3 + i] == sum);
  }
  MUST(halocline_exchange_free(&exchange));

  options.combine.how = HALOCLINE_FUNCTION;
  options.combine.function = keep_larger;
  options.combine.context = &calls;
  options.combine.bytes = (int64_t)sizeof(best);
  MUST(halocline_field_of(y, HALOCLINE_BYTES, (int64_t)sizeof(best), 6, &field));
  MUST(halocline_exchange_create(comm, pattern, &field, 1, "p2p:persistent", &options, &exchange));
  MUST(halocline_exchange_run(exchange));
  for (i = 0; i < 3; ++i) {
    best largest = {-1, -1};
    for (peer = 0; peer < ranks; ++peer)
      if (peer != me && (peer * 7 + i) % 4 > largest.value) {
        largest.value = (peer * 7 + i) % 4;
        largest.who = peer;
      }
    CHECK(y[3 + i].value == largest.value && y[3 + i].who == largest.who);
  }
  CHECK(calls == 3 * (ranks - 1));
  MUST(halocline_exchange_free(&exchange));
  MUST(halocline_pattern_free(&pattern));
}

/// Two parts, of integers and of numbers, in one message around a ring; and from one of them into
/// other fields.
static void test_parts(void) {
  const int before = (me + ranks - 1) % ranks;
  const halocline_pattern* patterns[2];
  halocline_pattern *ring = NULL, *united = NULL;
  halocline_field fields[2], found[2];
  halocline_exchange_part parts[2];
  halocline_exchange* exchange = NULL;
  const int counts[2] = {1, 1};
  int64_t numbers[4];
  double reals[4];
  const char* scheme = NULL;
  int i, way, count = 0;
  make_ring(2, &ring);
  MUST(halocline_field_of(numbers, HALOCLINE_INT64, 1, 4, &fields[0]));
  MUST(halocline_field_of(reals, HALOCLINE_FLOAT64, 1, 4, &fields[1]));
  for (i = 0; i < 2; ++i) {
    parts[i].pattern = patterns[i] = ring;
    parts[i].fields = &fields[i];
    parts[i].to = NULL;
    parts[i].count = 1;
  }
  MUST(halocline_pattern_united(patterns, 2, &united));
  for (way = 0; way < 2; ++way) {
    for (i = 0; i < 4; ++i) {
      numbers[i] = 100 * me + i;
      reals[i] = me + 0.25 * i;
    }
    if (way == 0)
      MUST(halocline_exchange_create_parts(comm, parts, 2, "shm:signal", NULL, &exchange));
    else
      MUST(halocline_exchange_create_united(comm, united, fields, counts, 2, NULL, NULL, &exchange));
    MUST(halocline_exchange_fields(exchange, 2, found, &count));
    CHECK(count == 2 && found[1].data == (void*)reals);
    MUST(halocline_exchange_scheme(exchange, &scheme));
    CHECK(strcmp(scheme, way == 0 ? "shm:signal" : "p2p:nonblocking") == 0);
    MUST(halocline_exchange_run(exchange));
    for (i = 0; i < 2; ++i)
      CHECK(numbers[2 + i] == 100 * before + i && reals[2 + i] == before + 0.25 * i);
    MUST(halocline_exchange_free(&exchange));
  }
  MUST(halocline_pattern_free(&united));
  MUST(halocline_pattern_free(&ring));
}

/// Halos that are read where they lie, and times.
static void test_views(void) {
  const int before = (me + ranks - 1) % ranks;
  halocline_exchange_options options = HALOCLINE_EXCHANGE_OPTIONS;
  halocline_pattern* ring = NULL;
  halocline_array* array = NULL;
  halocline_exchange* exchange = NULL;
  halocline_field field;
  halocline_halo_view view;
  halocline_exchange_times times = {-1, -1, -1, -1};
  halocline_device_traffic traffic = {1, 1, 1, 1};
  int direct = 0, links = 0;
  double* x;
  options.halos = HALOCLINE_IN_PLACE;
  MUST(halocline_array_create(comm, 4, HALOCLINE_FLOAT64, 1, "shm:signal+access=direct", &array));
  MUST(halocline_array_field(array, &field));
  x = (double*)field.data;
  x[0] = me + 0.5;
  x[1] = me + 0.75;
  make_ring(2, &ring);
  MUST(halocline_exchange_create(comm, ring, &field, 1, "shm:signal+access=direct", &options,
                                 &exchange));
  MUST(halocline_exchange_direct(exchange, &direct));
  MUST(halocline_exchange_measure(exchange, 1));
  MUST(halocline_exchange_run(exchange));
  MUST(halocline_pattern_links(ring, HALOCLINE_RECEIVES, &links));
  if (links > 0) {
    MUST(halocline_exchange_view(exchange, 0, 0, 0, &view));
    CHECK(*(const double*)view.data == before + 0.5);
    CHECK(*(const double*)((const char*)view.data + view.stride[2]) == before + 0.75);
    CHECK(direct == 0 || x[2] == 0);
  }
  MUST(halocline_exchange_fill_halos(exchange));
  CHECK(x[2] == before + 0.5 && x[3] == before + 0.75);
  MUST(halocline_exchange_get_times(exchange, &times));
  CHECK(times.pack >= 0 && times.wait >= 0);
  MUST(halocline_exchange_reset_times(exchange));
  MUST(halocline_exchange_get_device_traffic(exchange, &traffic));
  CHECK(traffic.copies == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  MUST(halocline_exchange_free(&exchange));
  MUST(halocline_pattern_free(&ring));
  MUST(halocline_array_free(&array));
}

/// Each rank frees exchanges, and memory of its own, in another order.
static void test_order_of_ends(int schemes) {
  enum { most = 20 };
  halocline_exchange* all[most] = {NULL};
  double* x[most];
  halocline_pattern* ring = NULL;
  halocline_field field;
  int i;
  make_ring(2, &ring);
  for (i = 0; i < most; ++i) {
    x[i] = (double*)calloc(4, sizeof(double));
    x[i][1] = 10 * me + i;
    MUST(halocline_field_of(x[i], HALOCLINE_FLOAT64, 1, 4, &field));
    MUST(halocline_exchange_create(comm, ring, &field, 1, scheme_number(i % schemes), NULL,
                                   &all[i]));
    MUST(halocline_exchange_run(all[i]));
    CHECK(ranks == 1 || x[i][3] == 10 * ((me + ranks - 1) % ranks) + i);
  }
  for (i = 0; i < most; ++i) {
    const int one = (me % 2 == 0 ? i : most - 1 - i);
    MUST(halocline_exchange_free(&all[one]));
    free(x[one]);
  }
  MUST(halocline_pattern_free(&ring));
}

void test_exchanges(void) {
  uint64_t state = 42;
  const int schemes = scheme_count();
  int i;
  // All on two ranks, some on other numbers of them.
  for (i = 0; i < schemes; i += ranks == 2 ? 1 : 3) {
    char scheme[100];
    strncpy(scheme, scheme_number(i), sizeof scheme - 1);
    scheme[sizeof scheme - 1] = '\0';
    test_random_pattern(&state, scheme, i % 2);
  }
  for (i = 0; i < 8; ++i) test_random_pattern(&state, "p2p:nonblocking", i % 2);
  test_other_arrays(&state);
  test_changes(&state);
  test_combining();
  test_parts();
  test_views();
  test_order_of_ends(schemes);
}
