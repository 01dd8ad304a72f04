// Grids and graphs made for a while, and all the exchanges of their neighbours.

#include "calls.h"
#include "features.h"
#include "messages.h"
#include "plain_log.h"
#include "ways.h"

enum { most = 30, most_neighbours = 2 * most_ranks };

static int out[most_neighbours * most], in[most_neighbours * most];
static int counts[most_neighbours], places[most_neighbours], other_counts[most_neighbours],
    other_places[most_neighbours];
static MPI_Aint far_places[most_neighbours], other_far_places[most_neighbours];
static MPI_Datatype types[most_neighbours];

/// Neighbours in MPI's order; MPI_PROC_NULL beyond the edges of a grid.
typedef struct {
  int sources, targets;
  int source[most_neighbours], target[most_neighbours];
} Neighbours;

/// So many numbers go from one to another. Several links between the same two are alike.
static int length_of(uint64_t key, int from, int to, int alike) {
  return alike ? (int)(key % most) : (int)(mixed(key + (uint64_t)(from * 1000 + to)) % most);
}
static int value(uint64_t key, int from, int to, int place) {
  return (int)(mixed(key + (uint64_t)(from * 1000 + (to < 0 ? 0 : to + 1) * 64 + place)) >> 33);
}

static void exchange_once(Dice* dice, const Group* on, const Neighbours* near, int same_for_all) {
  const How how = (How)below(dice, forms);
  const uint64_t key = draw(dice);
  const int way = same_for_all ? below(dice, 2) : 2 + below(dice, HAS_ALLTOALLW ? 3 : 2);
  const int me = on->me;
  int n, i, at = 0, other_at = 0, alike;
  alike = way == 0 || way == 2;
  for (n = 0; n < near->targets; ++n) {
    const int to = near->target[n];
    counts[n] =
        to == MPI_PROC_NULL && !alike ? 0 : length_of(key, me, same_for_all ? 0 : to, alike);
    places[n] = at;
    far_places[n] = 4 * at;
    types[n] = MPI_INT;
    for (i = 0; i < counts[n]; ++i) out[at++] = value(key, me, to, i);
  }
  for (n = 0; n < near->sources; ++n) {
    const int from = near->source[n];
    other_counts[n] =
        from == MPI_PROC_NULL && !alike ? 0 : length_of(key, from, same_for_all ? 0 : me, alike);
    other_places[n] = other_at;
    other_far_places[n] = 4 * other_at;
    types[n] = MPI_INT;
    for (i = 0; i < other_counts[n]; ++i) in[other_at++] = -1;
  }
  const int count = length_of(key, me, 0, alike);
  if (same_for_all)
    for (i = 0; i < count; ++i) out[i] = value(key, me, -1, i);
  switch (way) {
    case 0:
      EACH_WAY(how, Neighbor_allgather, Ineighbor_allgather,
               (out, count, MPI_INT, in, count, MPI_INT), "comm=c%d", on->number);
      break;
    case 1:
      EACH_WAY(how, Neighbor_allgatherv, Ineighbor_allgatherv,
               (out, count, MPI_INT, in, other_counts, other_places, MPI_INT), "comm=c%d",
               on->number);
      break;
    case 2:
      EACH_WAY(how, Neighbor_alltoall, Ineighbor_alltoall,
               (out, count, MPI_INT, in, count, MPI_INT), "comm=c%d", on->number);
      break;
    case 3:
      EACH_WAY(how, Neighbor_alltoallv, Ineighbor_alltoallv,
               (out, counts, places, MPI_INT, in, other_counts, other_places, MPI_INT), "comm=c%d",
               on->number);
      break;
    default:
      EACH_WAY(how, Neighbor_alltoallw, Ineighbor_alltoallw,
               (out, counts, far_places, types, in, other_counts, other_far_places, types),
               "comm=c%d", on->number);
  }
  for (n = 0; n < near->sources; ++n)
    for (i = 0; i < other_counts[n] && near->source[n] != MPI_PROC_NULL; ++i)
      CHECK(in[other_places[n] + i] == value(key, near->source[n], same_for_all ? -1 : me, i),
            "what the neighbour %d sent in c%d is wrong", near->source[n], on->number);
}

static void exchange(Dice* dice, const Group* on, const Neighbours* near) {
  int turns = 1 + below(dice, 5);
  for (; turns > 0; --turns) exchange_once(dice, on, near, one_in(dice, 3));
}

static void release(Group* on) {
  CALL(Comm_free, (&on->comm), "comm=c%d", on->number);
}

void grids(Dice* dice, const Group* parent) {
  int dims[3] = {1, 1, 1}, periods[3], d, used;
  const int dimensions = 1 + below(dice, 3);
  Neighbours near = {0, 0, {0}, {0}};
  MPI_Comm comm = MPI_COMM_NULL;
  Group on;
  Dice rest;
  for (d = 0, used = 1; d < dimensions; ++d) {
    dims[d] = 1 + below(dice, parent->size / used);
    used *= dims[d];
    periods[d] = below(dice, 2);
  }
  rest.state = draw(dice);
  CALL(Cart_create, (parent->comm, dimensions, dims, periods, 0, &comm), "comm=c%d",
       parent->number);
  on = as_group(comm, parent, used, NULL);
  if (on.me < 0) return;
  for (d = 0; d < dimensions; ++d) {
    int lower, upper;
    MPI_Cart_shift(on.comm, d, 1, &lower, &upper);
    near.source[near.sources++] = near.target[near.targets++] = lower;
    near.source[near.sources++] = near.target[near.targets++] = upper;
  }
  exchange(&rest, &on, &near);
  release(&on);
}

void graphs(Dice* dice, const Group* parent) {
  char edge[most_ranks][most_ranks];
  Neighbours near = {0, 0, {0}, {0}};
  MPI_Comm comm = MPI_COMM_NULL;
  Group on;
  int from, to, number = 0;
  const int size = parent->size, me = parent->me, dense = 1 + below(dice, 4), way = below(dice, 3);
  for (from = 0; from < size; ++from)
    for (to = 0; to < size; ++to)
      edge[from][to] = (char)(to == (from + 1) % size || one_in(dice, dense));
  if (way == 0)  // MPI_Graph_create: both ways
    for (from = 0; from < size; ++from)
      for (to = 0; to < from; ++to)
        edge[from][to] = edge[to][from] = edge[from][to] || edge[to][from];
  for (to = 0; to < size; ++to) {
    if (edge[me][to]) near.target[near.targets++] = to;
    if (edge[to][me]) near.source[near.sources++] = to;
  }
  if (way == 0) {
    static int index[most_ranks], edges[most_ranks * most_ranks];
    for (from = 0; from < size; ++from) {
      for (to = 0; to < size; ++to)
        if (edge[from][to]) edges[number++] = to;
      index[from] = number;
    }
    CALL(Graph_create, (parent->comm, size, index, edges, 0, &comm), "comm=c%d", parent->number);
  } else if (way == 1) {
    CALL(Dist_graph_create_adjacent,
         (parent->comm, near.sources, near.source, MPI_UNWEIGHTED, near.targets, near.target,
          MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm),
         "comm=c%d", parent->number);
  } else {  // each tells where others send to: those of the rank before
    static int sources[1], degrees[1], targets[most_ranks];
    sources[0] = (me + 1) % size;
    for (to = 0; to < size; ++to)
      if (edge[sources[0]][to]) targets[number++] = to;
    degrees[0] = number;
    CALL(Dist_graph_create,
         (parent->comm, 1, sources, degrees, targets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm),
         "comm=c%d", parent->number);
  }
  on = as_group(comm, parent, size, NULL);
  if (way == 2)  // in an order of MPI's own
    MPI_Dist_graph_neighbors(on.comm, near.sources, near.source, MPI_UNWEIGHTED, near.targets,
                             near.target, MPI_UNWEIGHTED);
  exchange(dice, &on, &near);
  release(&on);
}
