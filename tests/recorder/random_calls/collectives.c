// Collectives of all kinds, on numbers that tell where they come from.

#include "calls.h"
#include "messages.h"
#include "plain_log.h"
#include "ways.h"

enum { most = 40, room = most_ranks * most };

static int out[room], in[room], counts[most_ranks], places[most_ranks];
static int other_counts[most_ranks], other_places[most_ranks];
static MPI_Datatype types[most_ranks];

/// The number at `place` of what `from` sends to `to`.
static int value(int from, int to, int place) {
  return from * 10000 + to * 100 + place;
}

#define EXPECT(actual, wanted) \
  CHECK((actual) == (wanted), "a collective of c%d is wrong", on->number)

/// A root has the blocks of all, and all have one: to and from the root.
static void rooted(Dice* dice, const Group* on, How how) {
  const int root = below(dice, on->size), size = on->size, me = on->me;
  int count = below(dice, most), r, i, at = 0;
  for (r = 0; r < size; ++r) {
    counts[r] = below(dice, most);
    places[r] = at;
    at += counts[r];
  }
  switch (below(dice, 6)) {
    case 0:
      for (i = 0; i < count; ++i) out[i] = me == root ? value(root, 0, i) : -1;
      EACH_WAY(how, Bcast, Ibcast, (out, count, MPI_INT, root), "comm=c%d root=%d count=%d type=t2",
               on->number, root, count);
      for (i = 0; i < count; ++i) EXPECT(out[i], value(root, 0, i));
      break;
    case 1:
      for (i = 0; i < count; ++i) out[i] = value(me, root, i);
      EACH_WAY(how, Gather, Igather, (out, count, MPI_INT, in, count, MPI_INT, root),
               "comm=c%d root=%d count=%d type=t2", on->number, root, count);
      for (r = 0; r < size && me == root; ++r)
        for (i = 0; i < count; ++i) EXPECT(in[r * count + i], value(r, root, i));
      break;
    case 2:
      for (i = 0; i < counts[me]; ++i) out[i] = value(me, root, i);
      EACH_WAY(how, Gatherv, Igatherv,
               (out, counts[me], MPI_INT, in, counts, places, MPI_INT, root),
               "comm=c%d root=%d count=%d type=t2", on->number, root, counts[me]);
      for (r = 0; r < size && me == root; ++r)
        for (i = 0; i < counts[r]; ++i) EXPECT(in[places[r] + i], value(r, root, i));
      break;
    case 3:
      for (r = 0; r < size; ++r)
        for (i = 0; i < count; ++i) out[r * count + i] = value(me, r, i);
      EACH_WAY(how, Scatter, Iscatter, (out, count, MPI_INT, in, count, MPI_INT, root),
               "comm=c%d root=%d", on->number, root);
      for (i = 0; i < count; ++i) EXPECT(in[i], value(root, me, i));
      break;
    case 4:
      for (r = 0; r < size; ++r)
        for (i = 0; i < counts[r]; ++i) out[places[r] + i] = value(me, r, i);
      EACH_WAY(how, Scatterv, Iscatterv,
               (out, counts, places, MPI_INT, in, counts[me], MPI_INT, root), "comm=c%d root=%d",
               on->number, root);
      for (i = 0; i < counts[me]; ++i) EXPECT(in[i], value(root, me, i));
      break;
    default:
      for (i = 0; i < count; ++i) out[i] = value(me, 0, i), in[i] = -1;
      EACH_WAY(how, Reduce, Ireduce, (out, in, count, MPI_INT, MPI_MAX, root),
               "comm=c%d root=%d count=%d type=t2", on->number, root, count);
      for (i = 0; i < count && me == root; ++i) EXPECT(in[i], value(size - 1, 0, i));
  }
}

/// All have the blocks of all.
static void gathered(Dice* dice, const Group* on, How how) {
  const int size = on->size, me = on->me, count = below(dice, most), in_place = one_in(dice, 3);
  int r, i, at = 0;
  for (r = 0; r < size; ++r) {
    counts[r] = below(dice, most);
    places[r] = at;
    at += counts[r];
  }
  if (one_in(dice, 2)) {
    for (i = 0; i < count; ++i) out[i] = in[me * count + i] = value(me, 0, i);
    EACH_WAY(how, Allgather, Iallgather,
             (in_place ? MPI_IN_PLACE : out, count, MPI_INT, in, count, MPI_INT), "comm=c%d",
             on->number);
    for (r = 0; r < size; ++r)
      for (i = 0; i < count; ++i) EXPECT(in[r * count + i], value(r, 0, i));
  } else {
    for (i = 0; i < counts[me]; ++i) out[i] = in[places[me] + i] = value(me, 0, i);
    EACH_WAY(how, Allgatherv, Iallgatherv,
             (in_place ? MPI_IN_PLACE : out, counts[me], MPI_INT, in, counts, places, MPI_INT),
             "comm=c%d", on->number);
    for (r = 0; r < size; ++r)
      for (i = 0; i < counts[r]; ++i) EXPECT(in[places[r] + i], value(r, 0, i));
  }
}

/// All send to all.
static void exchanged(Dice* dice, const Group* on, How how) {
  const int size = on->size, me = on->me, count = below(dice, most);
  const int bytes = one_in(dice, 2);  // displacements of Alltoallw
  int r, other, i, at = 0, other_at = 0;
  if (one_in(dice, 3)) {
    for (r = 0; r < size; ++r)
      for (i = 0; i < count; ++i) out[r * count + i] = value(me, r, i);
    EACH_WAY(how, Alltoall, Ialltoall, (out, count, MPI_INT, in, count, MPI_INT),
             "comm=c%d count=%d type=t2", on->number, count);
    for (r = 0; r < size; ++r)
      for (i = 0; i < count; ++i) EXPECT(in[r * count + i], value(r, me, i));
    return;
  }
  for (r = 0; r < size; ++r)
    for (other = 0; other < size; ++other) {
      const int length = below(dice, most);
      if (r == me) {
        counts[other] = length;
        places[other] = at;
        for (i = 0; i < length; ++i) out[at++] = value(me, other, i);
      }
      if (other == me) {
        other_counts[r] = length;
        other_places[r] = other_at;
        other_at += length;
      }
    }
  for (r = 0; r < size; ++r) types[r] = MPI_INT;
  if (bytes) {
    for (r = 0; r < size; ++r) places[r] *= 4, other_places[r] *= 4;
    EACH_WAY(how, Alltoallw, Ialltoallw,
             (out, counts, places, types, in, other_counts, other_places, types), "comm=c%d",
             on->number);
    for (r = 0; r < size; ++r) other_places[r] /= 4;
  } else {
    EACH_WAY(how, Alltoallv, Ialltoallv,
             (out, counts, places, MPI_INT, in, other_counts, other_places, MPI_INT), "comm=c%d",
             on->number);
  }
  for (r = 0; r < size; ++r)
    for (i = 0; i < other_counts[r]; ++i) EXPECT(in[other_places[r] + i], value(r, me, i));
}

/// All have what was made of the numbers of all, or of those before.
static void reduced(Dice* dice, const Group* on, How how) {
  const int size = on->size, me = on->me, count = below(dice, most), in_place = one_in(dice, 3);
  int r, i, before = 0, at = 0, sum = 0;
  for (r = 0; r < size; ++r) {
    counts[r] = below(dice, most);
    if (r < me) before += counts[r];
    sum += r;
  }
  for (i = 0; i < size * most; ++i) out[i] = me + i, in[i] = -1;
  switch (below(dice, 5)) {
    case 0:
      for (i = 0; i < count; ++i) in[i] = out[i];
      EACH_WAY(how, Allreduce, Iallreduce,
               (in_place ? MPI_IN_PLACE : out, in, count, MPI_INT, MPI_SUM),
               "comm=c%d count=%d type=t2", on->number, count);
      for (i = 0; i < count; ++i) EXPECT(in[i], sum + size * i);
      break;
    case 1:
      EACH_WAY(how, Scan, Iscan, (out, in, count, MPI_INT, MPI_MAX), "comm=c%d count=%d type=t2",
               on->number, count);
      for (i = 0; i < count; ++i) EXPECT(in[i], me + i);
      break;
    case 2:
      EACH_WAY(how, Exscan, Iexscan, (out, in, count, MPI_INT, MPI_MAX),
               "comm=c%d count=%d type=t2", on->number, count);
      for (i = 0; i < count && me > 0; ++i) EXPECT(in[i], me - 1 + i);
      break;
    case 3:
      for (r = 0; r < size; ++r) at += counts[r];
      EACH_WAY(how, Reduce_scatter, Ireduce_scatter, (out, in, counts, MPI_INT, MPI_MAX),
               "comm=c%d", on->number);
      for (i = 0; i < counts[me]; ++i) EXPECT(in[i], size - 1 + before + i);
      break;
    default:
      EACH_WAY(how, Reduce_scatter_block, Ireduce_scatter_block, (out, in, count, MPI_INT, MPI_MAX),
               "comm=c%d", on->number);
      for (i = 0; i < count; ++i) EXPECT(in[i], size - 1 + me * count + i);
  }
}

/// The barrier has no arguments before the communicator.
static void barrier(const Group* on, How how) {
  MPI_Request request;
  const int number = new_request();
  if (how == blocks) {
    CALL(Barrier, (on->comm), "comm=c%d", on->number);
  } else {
    CALL(Ibarrier, (on->comm, &request), "comm=c%d request=%d", on->number, number);
    CALL(Wait, (&request, MPI_STATUS_IGNORE), "requests=1 done=%d", number);
  }
}

void collectives(Dice* dice, const Group* on) {
  int turns = 1 + below(dice, 4);
  for (; turns > 0; --turns) {
    const How how = (How)below(dice, forms);
    switch (below(dice, 5)) {
      case 0: barrier(on, how); break;
      case 1: gathered(dice, on, how); break;
      case 2: exchanged(dice, on, how); break;
      case 3: reduced(dice, on, how); break;
      default: rooted(dice, on, how);
    }
  }
}
