#include "groups.h"

#include <stdio.h>
#include <stdlib.h>

#include "messages.h"
#include "plain_log.h"

Group group[most_groups];
int groups;
int world_rank, world_size;
static int made;

void number_groups_from(int number) {
  made = number;
}

static void tell(const Group* of, const Group* parent) {
  char line[8 * most_ranks];
  int r, at = 0;
  if (of->me < 0) return;
  for (r = 0; r < of->size; ++r) at += sprintf(line + at, "%s%d", r == 0 ? "" : ",", of->member[r]);
  if (parent != NULL)
    log_fact("comm name=c%d parent=c%d rank=%d members=%s", of->number, parent->number, of->me,
             line);
  else
    log_fact("comm name=c%d rank=%d members=%s", of->number, of->me, line);
}

Group as_group(MPI_Comm comm, const Group* parent, int size, const int* rank_of_parent) {
  Group of;
  int r;
  of.comm = comm;
  of.number = made++;
  of.size = size;
  of.me = -1;
  for (r = 0; r < size; ++r) {
    of.member[r] =
        parent == NULL ? r : parent->member[rank_of_parent == NULL ? r : rank_of_parent[r]];
    if (of.member[r] == world_rank) of.me = r;
  }
  if (of.me >= 0) {
    CHECK(comm != MPI_COMM_NULL, "c%d is missing", of.number);
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &r);
    CHECK(size == of.size && r == of.me, "c%d has other members", of.number);
  }
  tell(&of, parent);
  return of;
}

static void keep(MPI_Comm comm, const Group* parent, int size, const int* rank_of_parent) {
  if (size == 0) return;
  group[groups++] = as_group(comm, parent, size, rank_of_parent);
}

void make_world(void) {
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  CHECK(world_size <= most_ranks, "at most %d ranks", most_ranks);
  keep(MPI_COMM_WORLD, NULL, world_size, NULL);
}

/// Splits by random colours and keys; colour -1 is none.
static void split(Dice* dice, const Group* parent) {
  int colour[most_ranks], key[most_ranks], chosen[most_ranks], r, c, n, i;
  const int colours = 1 + below(dice, 3);
  MPI_Comm comm = MPI_COMM_NULL;
  for (r = 0; r < parent->size; ++r) {
    colour[r] = below(dice, colours + 1) - one_in(dice, 4);
    key[r] = below(dice, 3);
  }
  if (parent->me >= 0)
    CALL(Comm_split,
         (parent->comm, colour[parent->me] < 0 ? MPI_UNDEFINED : colour[parent->me],
          key[parent->me], &comm),
         "comm=c%d", parent->number);
  for (c = 0; c <= colours; ++c) {
    n = 0;
    for (i = 0; i < 3; ++i)
      for (r = 0; r < parent->size; ++r)
        if (colour[r] == c && key[r] == i) chosen[n++] = r;
    keep(parent->me >= 0 && colour[parent->me] == c ? comm : MPI_COMM_NULL, parent, n, chosen);
  }
}

/// A random part of a communicator's ranks, in random order: at least one.
static int choose(Dice* dice, const Group* from, int* chosen) {
  int r, n = 0;
  for (r = 0; r < from->size; ++r)
    if (!one_in(dice, 3)) chosen[n++] = r;
  if (n == 0) chosen[n++] = below(dice, from->size);
  for (r = n - 1; r > 0; --r) {
    const int other = below(dice, r + 1), was = chosen[r];
    chosen[r] = chosen[other];
    chosen[other] = was;
  }
  return n;
}

static int contains(const int* chosen, int n, int rank) {
  while (n-- > 0)
    if (chosen[n] == rank) return 1;
  return 0;
}

/// From a group of ranks: by the members alone, or by all of the parent.
static void from_group(Dice* dice, const Group* parent, int alone) {
  int chosen[most_ranks];
  const int n = choose(dice, parent, chosen), tag = below(dice, 10);
  MPI_Comm comm = MPI_COMM_NULL;
  if (parent->me >= 0 && (!alone || contains(chosen, n, parent->me))) {
    MPI_Group all, some;
    MPI_Comm_group(parent->comm, &all);
    MPI_Group_incl(all, n, chosen, &some);
    if (alone)
      CALL(Comm_create_group, (parent->comm, some, tag, &comm), "comm=c%d", parent->number);
    else
      CALL(Comm_create, (parent->comm, some, &comm), "comm=c%d", parent->number);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
  }
  keep(comm, parent, n, chosen);
}

/// A grid of two dimensions, and its rows.
static void grid(Dice* dice, const Group* parent) {
  int dims[2], periods[2], remain[2] = {0, 1}, chosen[most_ranks], r, row;
  MPI_Comm comm = MPI_COMM_NULL, rows = MPI_COMM_NULL;
  const Group* made_grid;
  dims[0] = 1 + below(dice, parent->size);
  dims[1] = parent->size / dims[0];
  periods[0] = below(dice, 2);
  periods[1] = below(dice, 2);
  if (parent->me >= 0)
    CALL(Cart_create, (parent->comm, 2, dims, periods, 0, &comm), "comm=c%d", parent->number);
  keep(comm, parent, dims[0] * dims[1], NULL);
  made_grid = &group[groups - 1];
  if (made_grid->me >= 0)
    CALL(Cart_sub, (made_grid->comm, remain, &rows), "comm=c%d", made_grid->number);
  for (row = 0; row < dims[0]; ++row) {
    for (r = 0; r < dims[1]; ++r) chosen[r] = row * dims[1] + r;
    keep(contains(chosen, dims[1], made_grid->me) ? rows : MPI_COMM_NULL, made_grid, dims[1],
         chosen);
  }
}

/// Duplicates: at once, with a request, with other hints.
static void duplicate(Dice* dice, const Group* parent) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Request request;
  const int way = below(dice, 3);
  if (parent->me >= 0) {
    if (way == 0) {
      CALL(Comm_dup, (parent->comm, &comm), "comm=c%d", parent->number);
    } else if (way == 1) {
      const int number = new_request();
      CALL(Comm_idup, (parent->comm, &comm, &request), "comm=c%d request=%d", parent->number,
           number);
      CALL(Wait, (&request, MPI_STATUS_IGNORE), "requests=1 done=%d", number);
    } else {
      CALL(Comm_dup_with_info, (parent->comm, MPI_INFO_NULL, &comm), "comm=c%d", parent->number);
    }
  }
  keep(comm, parent, parent->size, NULL);
}

/// By what shares memory: all of this test's ranks.
static void islands(const Group* parent) {
  MPI_Comm comm = MPI_COMM_NULL;
  if (parent->me >= 0)
    CALL(Comm_split_type, (parent->comm, MPI_COMM_TYPE_SHARED, parent->me, MPI_INFO_NULL, &comm),
         "comm=c%d", parent->number);
  keep(comm, parent, parent->size, NULL);
}

void make_groups(Dice* dice) {
  const Group* parent = &group[below(dice, groups)];
  if (groups > enough_groups) return;
  switch (below(dice, 6)) {
    case 0: duplicate(dice, parent); break;
    case 1: split(dice, parent); break;
    case 2: from_group(dice, parent, 0); break;
    case 3: from_group(dice, parent, 1); break;
    case 4: grid(dice, parent); break;
    default: islands(parent);
  }
}

static void release(Group* of) {
  if (of->me >= 0) CALL(Comm_free, (&of->comm), "comm=c%d", of->number);
}

void free_a_group(Dice* dice) {
  const int which = 1 + (groups > 1 ? below(dice, groups - 1) : 0);
  if (groups < 2) return;
  release(&group[which]);
  group[which] = group[--groups];
}

void make_and_free(Dice* dice, int count) {
  while (count-- > 0) {
    const int before = groups;
    make_groups(dice);
    while (groups > before) {
      Group* last = &group[groups - 1];
      if (last->me >= 0) exchange_in_ring(last);
      release(last);
      --groups;
    }
    if (groups > enough_groups) free_a_group(dice);
  }
}
