#pragma once
// Communicators: those there are, the same table on all ranks, and what is called on them.

#include <mpi.h>

#include "dice.h"

enum { most_ranks = 64, most_groups = 160, enough_groups = 24 };

typedef struct {
  MPI_Comm comm;           ///< MPI_COMM_NULL on ranks that are no members
  int number;              ///< its name in the log, c<number>; no other has it, also of those freed
  int size, me;            ///< this rank in it, or -1
  int member[most_ranks];  ///< ranks of the world
} Group;

extern Group group[most_groups];
extern int groups;
extern int world_rank, world_size;

void make_world(void);
/// What is made from now on gets these names: some is made where not all ranks know of it.
void number_groups_from(int number);
/// Makes a communicator, or several at once, from a random one. Called by all ranks, with the same
/// dice.
void make_groups(Dice* dice);
/// Frees a random one.
void free_a_group(Dice* dice);
/// Makes and frees `count` of them, with a message in each.
void make_and_free(Dice* dice, int count);
/// Enters a communicator that somebody else has made, for as long as it is used.
Group as_group(MPI_Comm comm, const Group* parent, int size, const int* rank_of_parent);
