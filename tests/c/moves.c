// Random moves of elements between ranks, and what C++ makes of them.

#include "check.h"

#include <stdlib.h>
#include <string.h>

int64_t random_moves(uint64_t* state, int64_t owned, move* moves, int* count) {
  int64_t end[16], most = owned;
  int from, to, block;
  for (to = 0; to < ranks; ++to) end[to] = owned;
  *count = 0;
  for (from = 0; from < ranks; ++from)
    for (to = 0; to < ranks; ++to)
      for (block = (int)any(state, 3); block > 0 && *count < most_moves; --block) {
        move* one = &moves[(*count)++];
        const int64_t planes = 1 + any(state, 2), rows = 1 + any(state, 3);
        const int64_t length = 1 + any(state, 4), row = length + any(state, 3);
        const int64_t plane = rows * row + any(state, 4);
        const halocline_block sent = {any(state, 10), {planes, rows, length}, {plane, row}, 0};
        halocline_block received = sent;
        // The same elements in another shape: one row.
        if (any(state, 2) == 0) {
          received.count[0] = received.count[1] = 1;
          received.count[2] = planes * rows * length;
          received.stride[0] = received.stride[1] = 0;
        }
        one->from = from;
        one->to = to;
        one->sent = sent;
        received.offset = end[to];
        end[to] += planes * plane + rows * length * planes;
        one->received = received;
      }
  for (to = 0; to < ranks; ++to)
    if (end[to] > most) most = end[to];
  return most;
}

void add_moves(const move* moves, int count, halocline_pattern* pattern) {
  int i;
  for (i = 0; i < count; ++i) {
    const move* one = &moves[i];
    if (one->from == me && one->to == me)
      MUST(halocline_pattern_copy(pattern, &one->sent, &one->received));
    else if (one->from == me)
      MUST(halocline_pattern_send(pattern, one->to, &one->sent));
    else if (one->to == me)
      MUST(halocline_pattern_receive(pattern, one->from, &one->received));
  }
}

void fill(unsigned char* bytes, int64_t count, int step) {
  int64_t i;
  for (i = 0; i < count; ++i) bytes[i] = (unsigned char)(i * 7 + me * 31 + step * 101);
}

unsigned char* expected(const move* moves, int count, const unsigned char* data, int64_t elements) {
  unsigned char* copy = (unsigned char*)malloc((size_t)(elements * element));
  memcpy(copy, data, (size_t)(elements * element));
  exchange_by_cpp(MPI_COMM_WORLD, moves, count, copy, element, elements);
  return copy;
}
