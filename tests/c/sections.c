// Sections: every lap brings what a fixed scheme brings, over random patterns, whatever is tried in
// it; the errors of C++; exchanges that choose their scheme without one; and ends in any order.

#define _POSIX_C_SOURCE 200112L  // setenv, nanosleep
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/// An exchange that chooses, and one by a fixed scheme on a copy, of the same random pattern.
typedef struct twin {
  unsigned char *data, *right;
  int64_t bytes;
  halocline_exchange *chooses, *fixed;
} twin;

static void make_twin(uint64_t* state, twin* it) {
  static move moves[most_moves];
  int count = 0;
  const int64_t elements = random_moves(state, 80, moves, &count);
  halocline_pattern* pattern = NULL;
  halocline_field field;
  unsigned char* by_cpp;
  it->bytes = elements * element;
  it->data = (unsigned char*)malloc((size_t)it->bytes);
  it->right = (unsigned char*)malloc((size_t)it->bytes);
  MUST(halocline_pattern_create(&pattern));
  add_moves(moves, count, pattern);
  MUST(halocline_field_of(it->right, HALOCLINE_BYTES, element, elements, &field));
  MUST(halocline_exchange_create(comm, pattern, &field, 1, "p2p:nonblocking", NULL, &it->fixed));
  MUST(halocline_field_of(it->data, HALOCLINE_BYTES, element, elements, &field));
  MUST(
      halocline_exchange_create(comm, pattern, &field, 1, "auto+when=running", NULL, &it->chooses));
  MUST(halocline_pattern_free(&pattern));
  fill(it->right, it->bytes, 0);
  by_cpp = expected(moves, count, it->right, elements);
  MUST(halocline_exchange_run(it->fixed));
  CHECK(memcmp(it->right, by_cpp, (size_t)it->bytes) == 0);
  free(by_cpp);
}

static void free_twin(twin* it) {
  MUST(halocline_exchange_free(&it->chooses));
  MUST(halocline_exchange_free(&it->fixed));
  free(it->data);
  free(it->right);
}

static void write_cells(twin* it, int lap) {
  fill(it->data, it->bytes, lap);
  fill(it->right, it->bytes, lap);
  MUST(halocline_exchange_run(it->fixed));
}

static int are_right(const twin* it) {
  return memcmp(it->data, it->right, (size_t)it->bytes) == 0;
}

/// What the report says as text.
static void test_findings(halocline_section* step, const char* report) {
  halocline_findings all;
  halocline_chosen one;
  halocline_tried other;
  int number, i, depths = 0;
  FAILS(halocline_section_chosen(step, 0, &one), HALOCLINE_ERROR_ARGUMENT, "number is 0, of 0");
  MUST(halocline_section_findings(step, &all));
  CHECK(all.laps == 500 && all.seconds > 0 && all.cost <= all.seconds && all.contests >= 1);
  CHECK(all.preparing >= 0 && (all.decided == 0 || all.decided == 1) && all.chosen >= 2);
  for (number = 0; number < all.chosen; ++number) {
    MUST(halocline_section_chosen(step, number, &one));
    CHECK(strstr(report, one.what) != NULL && one.times.low <= one.times.value &&
          one.times.value <= one.times.high && one.times.confidence <= 1);
    CHECK(one.matters == 0 || one.times.value > 0);
    depths += strcmp(one.yardstick, "depth=2") == 0;
    for (i = 0; i < one.tried; ++i) {
      MUST(halocline_section_tried(step, number, i, &other));
      CHECK(strstr(report, other.what) != NULL && other.laps >= 0 && other.laps <= 500);
      CHECK(other.times.low <= other.times.value && other.times.value <= other.times.high);
      CHECK(*other.why == '\0' || strstr(report, other.why) != NULL);
    }
    FAILS(halocline_section_tried(step, number, i, &other), HALOCLINE_ERROR_ARGUMENT, "other is ");
  }
  CHECK(depths == 1);
  FAILS(halocline_section_chosen(step, -1, &one), HALOCLINE_ERROR_ARGUMENT, "number is -1, of ");
  FAILS(halocline_section_chosen(step, all.chosen, &one), HALOCLINE_ERROR_ARGUMENT, "number is ");
}

static void test_laps(uint64_t* state) {
  const int depths[2] = {2, 1};
  twin a, b;
  halocline_exchange* both[2];
  halocline_section* step = NULL;
  const char *report = NULL, *scheme = NULL, *first = NULL;
  int64_t laps = -1;
  int lap, wrong = 0, decided = -1, depth = 0, other = 0;
  make_twin(state, &a);
  make_twin(state, &b);
  both[0] = a.chooses;
  both[1] = b.chooses;
  MUST(halocline_section_create(comm, both, 2, &step));
  MUST(halocline_section_report(step, &report));
  CHECK(strncmp(report, "section: 0 laps", 15) == 0);
  MUST(halocline_exchange_scheme(a.chooses, &first));
  CHECK(strcmp(first, "auto+when=running") != 0);
  for (lap = 0; lap < 500; ++lap) {
    write_cells(&a, lap);
    write_cells(&b, lap + 7);
    MUST(halocline_section_begin(step));
    MUST(halocline_section_choice(step, "depth", depths, 2, &depth));
    MUST(halocline_exchange_start(a.chooses));
    MUST(halocline_exchange_run(b.chooses));
    MUST(halocline_exchange_finish(a.chooses));
    MUST(halocline_section_choice(step, "depth", depths, 2, &other));
    MUST(halocline_section_end(step, 1 + lap % 2));
    wrong += !are_right(&a) + !are_right(&b);
    CHECK((depth == 1 || depth == 2) && other == depth);
  }
  CHECK(wrong == 0);
  MUST(halocline_section_laps(step, &laps));
  CHECK(laps == 500);
  MUST(halocline_section_decided(step, &decided));
  CHECK(decided == 0 || decided == 1);
  MUST(halocline_section_report(step, &report));
  CHECK(strncmp(report, "section: 500 laps", 17) == 0);
  CHECK(ranks == 1 || strstr(report, "times as long") != NULL);
  test_findings(step, report);
  // What exchanges have now stays with them.
  MUST(halocline_section_free(&step));
  write_cells(&a, -1);
  MUST(halocline_exchange_run(a.chooses));
  CHECK(are_right(&a));
  // Text lives as long as the exchange, also when its scheme changes.
  MUST(halocline_exchange_scheme(a.chooses, &scheme));
  CHECK(*scheme != '\0' && *first != '\0' && (scheme == first) == (strcmp(scheme, first) == 0));
  free_twin(&a);
  free_twin(&b);
}

static void test_alone(uint64_t* state) {
  twin it;
  int lap, wrong = 0;
  make_twin(state, &it);
  for (lap = 0; lap < 300; ++lap) {
    write_cells(&it, lap);
    MUST(halocline_exchange_run(it.chooses));
    wrong += !are_right(&it);
  }
  CHECK(wrong == 0);
  free_twin(&it);
}

/// A choice of the program's own: each value is in use in some lap.
static void test_choice(void) {
  const int values[2] = {2, 1};
  const struct timespec pause = {0, 100000};
  halocline_section* step = NULL;
  int lap, way = 0, seen[3] = {0, 0, 0};
  MUST(halocline_section_create(comm, NULL, 0, &step));
  for (lap = 0; lap < 4000 && !seen[1]; ++lap) {
    MUST(halocline_section_begin(step));
    MUST(halocline_section_choice(step, "way", values, 2, &way));
    CHECK(lap > 0 || way == 2);
    seen[way] = 1;
    nanosleep(&pause, NULL);
    MUST(halocline_section_end(step, 1));
  }
  CHECK(seen[1] && seen[2]);
  MUST(halocline_section_free(&step));
}

/// What section_error does, from here: the same code and the same line.
static void test_misuse(void) {
  const int few[2] = {1, 2}, others[2] = {1, 3};
  int misuse, value = 0, code = 0;
  for (misuse = 0; misuse < 8; ++misuse) {
    halocline_pattern* nothing = NULL;
    halocline_exchange *fixed = NULL, *chooses = NULL;
    halocline_section *step = NULL, *no_step = NULL;
    halocline_field field;
    double x[1] = {0};
    MUST(halocline_pattern_create(&nothing));
    MUST(halocline_field_of(x, HALOCLINE_FLOAT64, 1, 1, &field));
    MUST(halocline_exchange_create(comm, nothing, &field, 1, "p2p:nonblocking", NULL, &fixed));
    MUST(halocline_exchange_create(comm, nothing, &field, 1, "auto+when=running", NULL, &chooses));
    MUST(halocline_section_create(comm, &chooses, 1, &step));
    switch (misuse) {
      case 0: code = halocline_section_create(comm, &fixed, 1, &no_step); break;
      case 1: code = halocline_section_create(comm, &chooses, 1, &no_step); break;
      case 2: code = halocline_section_end(step, 1); break;
      case 3:
        MUST(halocline_section_begin(step));
        code = halocline_section_end(step, 0);
        break;
      case 4:
        MUST(halocline_section_begin(step));
        code = halocline_section_begin(step);
        break;
      case 5:
        MUST(halocline_exchange_start(chooses));
        code = halocline_section_begin(step);
        break;
      case 6: code = halocline_section_choice(step, "none", NULL, 0, &value); break;
      default:
        MUST(halocline_section_choice(step, "depth", few, 2, &value));
        code = halocline_section_choice(step, "depth", others, 2, &value);
    }
    FAILS(code, HALOCLINE_ERROR, section_error(misuse));
    CHECK(strcmp(halocline_last_error(), section_error(misuse)) == 0);
    CHECK(no_step == NULL);
    // In one order and the other, also within a lap and a step.
    if (misuse % 2 == 0) MUST(halocline_section_free(&step));
    MUST(halocline_exchange_free(&chooses));
    MUST(halocline_section_free(&step));
    MUST(halocline_exchange_free(&fixed));
    MUST(halocline_pattern_free(&nothing));
  }
}

static void test_section_arguments(void) {
  const int wrong = HALOCLINE_ERROR_ARGUMENT, values[1] = {1};
  halocline_exchange* none[1] = {NULL};
  halocline_section* step = NULL;
  int value = 0;
  FAILS(halocline_section_create(comm, none, 1, &step), wrong, "exchange is NULL");
  FAILS(halocline_section_create(comm, none, -1, &step), wrong, "count is -1, must be >= 0");
  FAILS(halocline_section_create(comm, NULL, 1, &step), wrong, "exchanges is NULL");
  FAILS(halocline_section_begin(step), wrong, "halocline_section_begin: section is NULL");
  MUST(halocline_section_create(comm, NULL, 0, &step));
  FAILS(halocline_section_choice(step, NULL, values, 1, &value), wrong, "name is NULL");
  FAILS(halocline_section_choice(step, "depth", NULL, 1, &value), wrong, "values is NULL");
  FAILS(halocline_section_choice(step, "depth", values, 1, NULL), wrong, "value is NULL");
  MUST(halocline_section_free(&step));
  MUST(halocline_section_free(&step));
}

/// What is refused leaves the lap as it was; no lap outlives its section.
static void test_work(void) {
  const double wrong[3] = {HUGE_VAL, -HUGE_VAL, -1};
  halocline_section* step = NULL;
  int64_t laps = 0;
  int i;
  MUST(halocline_section_create(comm, NULL, 0, &step));
  MUST(halocline_section_begin(step));
  for (i = 0; i < 3; ++i)
    FAILS(halocline_section_end(step, wrong[i]), HALOCLINE_ERROR, "it is above 0 and finite");
  MUST(halocline_section_laps(step, &laps));
  CHECK(laps == 0);
  MUST(halocline_section_end(step, 1));
  MUST(halocline_section_laps(step, &laps));
  CHECK(laps == 1);
  MUST(halocline_section_begin(step));
  MUST(halocline_section_free(&step));
  FAILS(halocline_section_end(step, 1), HALOCLINE_ERROR_ARGUMENT, "section is NULL");
}

void test_sections(void) {
  uint64_t state = 7;
  // So that much is tried in few laps, whatever earlier runs have found.
  CHECK(setenv("HALOCLINE_TUNING_REGRET", "0.5", 1) == 0);
  CHECK(setenv("HALOCLINE_TUNING_FRESH", "1", 1) == 0);
  test_laps(&state);
  test_alone(&state);
  test_choice();
  CHECK(unsetenv("HALOCLINE_TUNING_REGRET") == 0);
  CHECK(unsetenv("HALOCLINE_TUNING_FRESH") == 0);
  test_misuse();
  test_work();
  test_section_arguments();
}
