#include "layouts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plain_log.h"

enum { most_bytes = 1024, most_blocks = 96, most_span = 60000 };

Layout layout[layouts];
static int made;

/// What is known of a datatype while it is put together.
typedef struct {
  Block* block;
  int blocks, basic, elements;
} Parts;

static void add_block(Parts* parts, long offset, long size) {
  Block* last = parts->blocks > 0 ? &parts->block[parts->blocks - 1] : NULL;
  if (size == 0) return;
  if (last != NULL && last->offset + last->size == offset) {
    last->size += size;
    return;
  }
  parts->block = (Block*)realloc(parts->block, sizeof(Block) * (size_t)(parts->blocks + 1));
  parts->block[parts->blocks].offset = offset;
  parts->block[parts->blocks].size = size;
  ++parts->blocks;
}

/// `count` elements of another datatype, from the byte `at` on.
static void add(Parts* parts, const Layout* old, long at, int count) {
  int i, b;
  for (i = 0; i < count; ++i)
    for (b = 0; b < old->blocks; ++b)
      add_block(parts, at + i * old->extent + old->block[b].offset, old->block[b].size);
  if (count == 0) return;
  if (parts->elements == 0)
    parts->basic = old->basic;
  else if (parts->basic != old->basic)
    parts->basic = -1;
  parts->elements += count * old->elements;
}

/// Compares with what MPI packs: each byte tells its own place, by its low, middle and high digits.
static void check_against_pack(const Layout* of) {
  unsigned char* buffer = (unsigned char*)malloc((size_t)of->span + 1);
  unsigned char *packed = (unsigned char*)malloc((size_t)of->bytes + 1), *mine;
  int digit, position;
  long i;
  mine = (unsigned char*)malloc((size_t)of->bytes + 1);
  for (digit = 0; digit < 3; ++digit) {
    for (i = 0; i < of->span; ++i) buffer[i] = (unsigned char)(i >> (8 * digit));
    position = 0;
    MPI_Pack(buffer, 1, of->type, packed, (int)of->bytes, &position, MPI_COMM_SELF);
    gather(of, 1, buffer, mine);
    CHECK(position == of->bytes && memcmp(packed, mine, (size_t)of->bytes) == 0,
          "t%d is not packed as it is walked here", of->number);
  }
  free(mine);
  free(packed);
  free(buffer);
}

/// Completes an entry of the table, whose `type` is there.
static void complete(Layout* of, Parts parts) {
  MPI_Aint lower, extent;
  int b, size;
  MPI_Type_get_extent(of->type, &lower, &extent);
  MPI_Type_size(of->type, &size);
  of->number = made++;
  of->extent = (long)extent;
  of->block = parts.block;
  of->blocks = parts.blocks;
  of->basic = parts.basic;
  of->elements = parts.elements;
  of->bytes = of->span = 0;
  of->first = of->blocks > 0 ? of->block[0].offset : 0;
  for (b = 0; b < of->blocks; ++b) {
    of->bytes += of->block[b].size;
    if (of->block[b].offset + of->block[b].size > of->span)
      of->span = of->block[b].offset + of->block[b].size;
    if (of->block[b].offset < of->first) of->first = of->block[b].offset;
  }
  CHECK(size == of->bytes, "t%d has %d bytes, not %ld", of->number, size, of->bytes);
}

static void tell(const Layout* of) {
  static char line[64 * (most_blocks + 1)];
  int b, at = 0;
  line[0] = 0;
  for (b = 0; b < of->blocks; ++b)
    at +=
        sprintf(line + at, "%s%ld:%ld", b == 0 ? "" : ",", of->block[b].offset, of->block[b].size);
  log_fact("type name=t%d bytes=%ld extent=%ld blocks=%s", of->number, of->bytes, of->extent, line);
}

/// Some datatype to build from: small enough that what comes out of it is.
static const Layout* some_old(Dice* dice, int upto) {
  for (;;) {
    const Layout* old = &layout[one_in(dice, 3) ? below(dice, upto) : below(dice, basics)];
    if (old->bytes <= 160 && old->blocks <= 8 && old->span <= 2000 && old->extent <= 2000)
      return old;
  }
}

static Parts construct(Dice* dice, int upto, MPI_Datatype* type) {
  Parts parts = {NULL, 0, -1, 0};
  const Layout* old = some_old(dice, upto);
  const long extent = old->extent;
  const int count = 1 + below(dice, 6), length = 1 + below(dice, 3);
  int lengths[8], places[8], i, j, at = below(dice, 3);
  MPI_Aint bytes[8], far;
  for (i = 0; i < count; ++i) {  // of the indexed ones: apart, and not always in order
    lengths[i] = below(dice, 4);
    places[i] = at;
    at += lengths[i] + below(dice, 4);
  }
  if (count > 1 && one_in(dice, 3)) {
    i = below(dice, count - 1);
    j = places[i], places[i] = places[i + 1], places[i + 1] = j;
    j = lengths[i], lengths[i] = lengths[i + 1], lengths[i + 1] = j;
  }
  for (i = 0; i < count; ++i) bytes[i] = places[i] * extent + (old->basic == 0 ? 1 : 0);
  switch (below(dice, 11)) {
    case 0:
      MPI_Type_contiguous(count, old->type, type);
      add(&parts, old, 0, count);
      break;
    case 1: {
      const int stride = length + below(dice, 5);
      MPI_Type_vector(count, length, stride, old->type, type);
      for (i = 0; i < count; ++i) add(&parts, old, i * stride * extent, length);
      break;
    }
    case 2: {
      const long stride =
          (length + below(dice, 4)) * extent + (old->basic == 0 ? below(dice, 8) : 0);
      MPI_Type_create_hvector(count, length, (MPI_Aint)stride, old->type, type);
      for (i = 0; i < count; ++i) add(&parts, old, i * stride, length);
      break;
    }
    case 3:
      MPI_Type_indexed(count, lengths, places, old->type, type);
      for (i = 0; i < count; ++i) add(&parts, old, places[i] * extent, lengths[i]);
      break;
    case 4:
      MPI_Type_create_hindexed(count, lengths, bytes, old->type, type);
      for (i = 0; i < count; ++i) add(&parts, old, (long)bytes[i], lengths[i]);
      break;
    case 5:
      for (i = 0; i < count; ++i) places[i] = i * (length + 2) + below(dice, 3);
      MPI_Type_create_indexed_block(count, length, places, old->type, type);
      for (i = 0; i < count; ++i) add(&parts, old, places[i] * extent, length);
      break;
    case 6:
      for (i = 0; i < count; ++i) bytes[i] = (i * (length + 2) + below(dice, 3)) * extent;
      MPI_Type_create_hindexed_block(count, length, bytes, old->type, type);
      for (i = 0; i < count; ++i) add(&parts, old, (long)bytes[i], length);
      break;
    case 7:
    case 8: {  // a box of three dimensions
      int whole[3], part[3], begin[3], x, y;
      const int fortran = one_in(dice, 2);
      for (i = 0; i < 3; ++i) {
        whole[i] = 1 + below(dice, 6);
        part[i] = 1 + below(dice, whole[i]);
        begin[i] = below(dice, whole[i] - part[i] + 1);
      }
      MPI_Type_create_subarray(3, whole, part, begin, fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C,
                               old->type, type);
      if (fortran) {  // the first index runs fastest
        j = whole[0], whole[0] = whole[2], whole[2] = j;
        j = part[0], part[0] = part[2], part[2] = j;
        j = begin[0], begin[0] = begin[2], begin[2] = j;
      }
      for (x = 0; x < part[0]; ++x)
        for (y = 0; y < part[1]; ++y)
          add(&parts, old,
              (((begin[0] + x) * whole[1] + begin[1] + y) * whole[2] + begin[2]) * extent, part[2]);
      break;
    }
    case 9: {  // members of several datatypes
      MPI_Datatype types[3];
      const Layout* member[3];
      far = 0;
      for (i = 0; i < 3; ++i) {
        member[i] = some_old(dice, upto);
        types[i] = member[i]->type;
        lengths[i] = 1 + below(dice, 3);
        bytes[i] = far += 8 * below(dice, 3);
        far += (MPI_Aint)(member[i]->extent * lengths[i] + member[i]->span + 8) / 8 * 8;
      }
      MPI_Type_create_struct(3, lengths, bytes, types, type);
      for (i = 0; i < 3; ++i) add(&parts, member[i], (long)bytes[i], lengths[i]);
      break;
    }
    default:
      MPI_Type_create_resized(old->type, -(MPI_Aint)(8 * below(dice, 2)),
                              (MPI_Aint)((old->span + 7) / 8 * 8 + 8 * below(dice, 4)), type);
      add(&parts, old, 0, 1);
  }
  return parts;
}

/// Makes a derived datatype from those before `upto`.
static void make(Dice* dice, int number, int upto) {
  for (;;) {
    MPI_Datatype type, copy;
    Layout* of = &layout[number];
    Parts parts = construct(dice, upto, &type);
    memset(of, 0, sizeof *of);
    of->type = type;
    of->derived = 1;
    complete(of, parts);
    if (of->bytes > 0 && of->bytes <= most_bytes && of->blocks <= most_blocks &&
        of->span <= most_span && of->extent >= of->span - of->first && of->extent <= most_span) {
      if (one_in(dice, 8)) {
        MPI_Type_dup(of->type, &copy);
        MPI_Type_free(&of->type);
        of->type = copy;
      }
      MPI_Type_commit(&of->type);
      check_against_pack(of);
      tell(of);
      return;
    }
    MPI_Type_free(&of->type);
    free(of->block);
  }
}

void make_layouts(Dice* dice) {
  const MPI_Datatype type[basics] = {MPI_BYTE,  MPI_CHAR,   MPI_INT,
                                     MPI_FLOAT, MPI_DOUBLE, MPI_LONG_LONG};
  int i;
  for (i = 0; i < basics; ++i) {
    Parts parts = {NULL, 0, i, 1};
    int size;
    MPI_Type_size(type[i], &size);
    add_block(&parts, 0, size);
    layout[i].type = type[i];
    complete(&layout[i], parts);
    tell(&layout[i]);
  }
  for (; i < layouts; ++i) make(dice, i, i);
}

void renew_layout(Dice* dice, int number) {
  MPI_Type_free(&layout[number].type);
  free(layout[number].block);
  make(dice, number, number);
}

void free_layouts(void) {
  int i;
  for (i = 0; i < layouts; ++i) {
    if (layout[i].derived) MPI_Type_free(&layout[i].type);
    free(layout[i].block);
  }
}

long bytes_of(const Layout* of, int count) {
  return of->bytes * count;
}

long span_of(const Layout* of, int count) {
  return count == 0 ? 0 : (count - 1) * of->extent + of->span;
}

void gather(const Layout* of, int count, const unsigned char* buffer, unsigned char* packed) {
  int i, b;
  for (i = 0; i < count; ++i)
    for (b = 0; b < of->blocks; ++b) {
      memcpy(packed, buffer + i * of->extent + of->block[b].offset, (size_t)of->block[b].size);
      packed += of->block[b].size;
    }
}

void scatter(const Layout* of, int count, const unsigned char* packed, long bytes,
             unsigned char* buffer) {
  int i, b;
  for (i = 0; i < count; ++i)
    for (b = 0; b < of->blocks && bytes > 0; ++b) {
      const long size = of->block[b].size < bytes ? of->block[b].size : bytes;
      memcpy(buffer + i * of->extent + of->block[b].offset, packed, (size_t)size);
      packed += size;
      bytes -= size;
    }
}

void make_payload(uint64_t key, unsigned char* packed, long bytes) {
  long i;
  for (i = 0; i < bytes; i += 8) {
    const uint64_t word = mixed(key + (uint64_t)i);
    memcpy(packed + i, &word, bytes - i < 8 ? (size_t)(bytes - i) : 8);
  }
}
