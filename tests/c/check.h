#pragma once
// What the C tests share: checks that go on after a failure, numbers that are the same on all
// ranks, and the schemes to try.

#include <mpi.h>

#include <halocline/halocline.h>

#include <stdint.h>

extern int failures;
extern int me, ranks;
extern halocline_comm comm;

void check_that(int holds, const char* file, int line, const char* text);
void check_success(int code, const char* file, int line, const char* text);
/// The call has returned this code, and its line contains the words.
void check_fails(int code, int expected, const char* words, const char* file, int line,
                 const char* text);

#define CHECK(condition) check_that((condition), __FILE__, __LINE__, #condition)
#define MUST(call) check_success((call), __FILE__, __LINE__, #call)
#define FAILS(call, code, words) check_fails((call), (code), (words), __FILE__, __LINE__, #call)

/// The next of numbers below `below`.
int64_t any(uint64_t* state, int64_t below);

/// How many schemes there are to try, and one of them, valid until the next call of it.
int scheme_count(void);
const char* scheme_number(int number);

/// Elements [0, `count`) go to the next rank of a ring, which receives them behind its own.
void make_ring(int64_t count, halocline_pattern** ring);

// The groups of tests.
void test_grids(void);
void test_patterns(void);
void test_fields(void);
void test_exchanges(void);
void test_others(void);
void test_sections(void);
void test_errors(void);
void test_languages(void);

/// Elements that move from one rank to another: the same list on all ranks is a pattern of each.
typedef struct move {
  int from, to;
  halocline_block sent, received;
} move;

enum { most_moves = 64, element = 24 };

/// Random moves between all ranks. Each sends from [0, `owned`) and receives behind it; what a rank
/// needs of elements is returned.
int64_t random_moves(uint64_t* state, int64_t owned, move* moves, int* count);
void add_moves(const move* moves, int count, halocline_pattern* pattern);
void fill(unsigned char* bytes, int64_t count, int step);
/// What is there after a step by C++, on a copy.
unsigned char* expected(const move* moves, int count, const unsigned char* data, int64_t elements);

#ifdef __cplusplus
extern "C" {
#endif
/// What the C++ library does: one step of these moves between elements at `data`.
void exchange_by_cpp(MPI_Comm on, const move* moves, int count, void* data, int64_t element_bytes,
                     int64_t elements);
/// Names the first of the C options' defaults that is not that of C++; "" if there is none.
const char* different_default(void);
/// Whether an error in another thread leaves the last one of this alone.
int other_threads_errors_are_theirs(void);
/// The text of the Error that C++ throws for a scheme, and for a grid of such cells and halos.
const char* scheme_error(const char* scheme);
const char* grid_error(int64_t cells, int halo);
/// The same for what cannot be done with a section, by a number from 0 to 7.
const char* section_error(int misuse);
#ifdef __cplusplus
}
#endif
