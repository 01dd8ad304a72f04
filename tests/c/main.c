// The C interface from C: compiled as C99 with all warnings, and as C++ as well.

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int failures = 0;
int me = 0, ranks = 1;
halocline_comm comm;

void check_that(int holds, const char* file, int line, const char* text) {
  if (holds) return;
  fprintf(stderr, "[rank %d] %s:%d: not true: %s\n", me, file, line, text);
  ++failures;
}

void check_success(int code, const char* file, int line, const char* text) {
  if (code == HALOCLINE_SUCCESS) return;
  fprintf(stderr, "[rank %d] %s:%d: %s: error %d: %s\n", me, file, line, text, code,
          halocline_last_error());
  ++failures;
}

void check_fails(int code, int expected, const char* words, const char* file, int line,
                 const char* text) {
  if (code == expected && strstr(halocline_last_error(), words) != NULL) return;
  fprintf(stderr, "[rank %d] %s:%d: %s: error %d (not %d): \"%s\" (not \"%s\")\n", me, file, line,
          text, code, expected, halocline_last_error(), words);
  ++failures;
}

int64_t any(uint64_t* state, int64_t below) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (int64_t)((*state >> 33) % (uint64_t)below);
}

/// Whether it can be run here, and MPI carries it out right (tests/CMakeLists.txt).
static int is_tried(int index, const char** scheme) {
  const char* unavailable = NULL;
  const char* broken = getenv("HALOCLINE_TEST_EXCEPT");
  int matches = 0;
  MUST(halocline_known_scheme(index, scheme, NULL, &unavailable));
  if (*unavailable != '\0') return 0;
  if (broken != NULL) MUST(halocline_scheme_matches(*scheme, broken, &matches));
  return !matches;
}

const char* scheme_number(int number) {
  int all = 0, tried = 0, i;
  const char* scheme = NULL;
  MUST(halocline_known_schemes(&all));
  for (i = 0; i < all; ++i)
    if (is_tried(i, &scheme) && tried++ == number) return scheme;
  return NULL;
}

int scheme_count(void) {
  int count = 0;
  while (scheme_number(count) != NULL) ++count;
  return count;
}

void make_ring(int64_t count, halocline_pattern** ring) {
  const halocline_block low = {0, {1, 1, count}, {0, 0}, 0};
  const halocline_block high = {count, {1, 1, count}, {0, 0}, 0};
  if (ranks > 1) {
    MUST(halocline_pattern_shift((me + 1) % ranks, &low, (me + ranks - 1) % ranks, &high, ring));
  } else {
    MUST(halocline_pattern_create(ring));
    MUST(halocline_pattern_copy(*ring, &low, &high));
  }
}

int main(int argc, char** argv) {
  halocline_environment* environment = NULL;
  MUST(halocline_environment_create(&argc, &argv, HALOCLINE_THREAD_FUNNELED, &environment));
  comm = halocline_comm_of(MPI_COMM_WORLD);
  MUST(halocline_rank(comm, &me));
  MUST(halocline_size(comm, &ranks));
  MUST(halocline_make_collectives_yield(comm));
  test_grids();
  test_patterns();
  test_fields();
  test_exchanges();
  test_others();
  test_sections();
  test_errors();
  test_languages();
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("%d failures on %d ranks\n", failures, ranks);
  MUST(halocline_environment_free(&environment));
  return failures == 0 ? 0 : 1;
}
