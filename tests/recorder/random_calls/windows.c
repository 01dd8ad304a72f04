// Windows of all flavours, with epochs of all kinds.
//
// A window has a slot for each origin, which alone puts there, then numbers that are only got, and
// counters that all add to.

#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "features.h"
#include "messages.h"
#include "plain_log.h"

enum { slot = 64, fixed = 64, counters = 8, most_operations = 40, element = 4 };

typedef enum { put, get, accumulate, get_accumulate, fetch_and_op, compare_and_swap, kinds } Kind;
typedef enum { fence, pscw, lock, lock_all, synchronisations } Synchronisation;

typedef struct {
  Kind kind;
  int origin, target;
  const Layout* layout;  ///< at the origin; as many numbers one after another at the target
  int count, numbers, place;
  uint64_t key;
  int* buffer;
} Operation;

static Operation operation[most_operations];
static MPI_Win window;
static int name;
static const Group* on;
static int* memory;
static MPI_Aint base[most_ranks];
static int has_requests;

static int fixed_value(int rank, int place) {
  return rank * 1000 + place;
}
static int fixed_at(void) {
  return on->size * slot;
}
static int counters_at(void) {
  return on->size * slot + fixed;
}
static int numbers_in_all(void) {
  return on->size * slot + fixed + counters;
}

static MPI_Aint displacement(int target, int place) {
  return base[target] + (MPI_Aint)place * (base[target] != 0 ? element : 1);
}

/// Operations of one epoch, the same list on all ranks.
static int plan(Dice* dice) {
  const int count = below(dice, most_operations + 1);
  int used[most_ranks][most_ranks], i, n = 0;
  memset(used, 0, sizeof used);
  for (i = 0; i < count; ++i) {
    Operation* one = &operation[n];
    int tries;
    one->kind = (Kind)below(dice, kinds);
#if !HAS_COMPARE_AND_SWAP
    if (one->kind == compare_and_swap) one->kind = put;
#endif
    one->origin = below(dice, on->size);
    one->target = below(dice, on->size);
    one->key = draw(dice);
    one->layout = &layout[2];
    one->count = 1 + below(dice, 8);
    for (tries = 0; tries < 4 && one->kind <= get; ++tries) {
      const Layout* of = &layout[below(dice, layouts)];
      if (of->basic == 2 && of->elements <= 16) {
        one->layout = of;
        one->count = below(dice, 3);
        break;
      }
    }
    one->numbers = one->count * one->layout->elements;
    one->buffer = NULL;
    if (one->kind == put || one->kind == compare_and_swap) {
      int* at = &used[one->origin][one->target];
      if (one->kind == compare_and_swap) one->numbers = one->count = 1, one->layout = &layout[2];
      if (*at + one->numbers > slot) continue;
      one->place = one->origin * slot + *at;
      *at += one->numbers;
    } else if (one->kind == get) {
      if (one->numbers > fixed) continue;
      one->place = fixed_at() + below(dice, fixed - one->numbers + 1);
    } else {
      if (one->kind == fetch_and_op) one->count = one->numbers = 1;
      one->place = counters_at() + below(dice, counters - one->numbers + 1);
    }
    ++n;
  }
  return n;
}

#define FACTS "window=w%d peer=%d count=%d type=t%d"
#define NAMED name, one->target, one->count, one->layout->number
#define AT one->target, displacement(one->target, one->place)

/// Starts an operation of this rank. In epochs of locks it may have a request, which is waited for.
static void start(Dice* mine, Operation* one) {
  const Layout* of = one->layout;
  const Message sent = {0, 0, 0, of, of, one->count, one->count, one->key};
  const int numbers = one->numbers, with_request = has_requests && one_in(mine, 3);
  MPI_Request request = MPI_REQUEST_NULL;
  int i;
  if (one->kind == put) {
    one->buffer = (int*)filled(&sent);
  } else if (one->kind == get) {
    one->buffer = (int*)emptied(of, one->count);
  } else {  // what is added, then what was there
    one->buffer = (int*)malloc(sizeof(int) * 2 * (size_t)numbers);
    for (i = 0; i < numbers; ++i) one->buffer[i] = 1 + i;
  }
  if (with_request && one->kind <= accumulate) {
    const int number = new_request();
    request_follows(number);
    switch (one->kind) {
      case put:
        CALL(Rput, (one->buffer, one->count, of->type, AT, numbers, MPI_INT, window, &request),
             FACTS, NAMED);
        break;
      case get:
        CALL(Rget, (one->buffer, one->count, of->type, AT, numbers, MPI_INT, window, &request),
             FACTS, NAMED);
        break;
      default:
        CALL(Raccumulate,
             (one->buffer, numbers, MPI_INT, AT, numbers, MPI_INT, MPI_SUM, window, &request),
             FACTS, NAMED);
    }
    CALL(Wait, (&request, MPI_STATUS_IGNORE), "requests=1 done=%d", number);
    return;
  }
  switch (one->kind) {
    case put:
      CALL(Put, (one->buffer, one->count, of->type, AT, numbers, MPI_INT, window), FACTS, NAMED);
      break;
    case get:
      CALL(Get, (one->buffer, one->count, of->type, AT, numbers, MPI_INT, window), FACTS, NAMED);
      break;
    case accumulate:
      CALL(Accumulate, (one->buffer, numbers, MPI_INT, AT, numbers, MPI_INT, MPI_SUM, window),
           FACTS, NAMED);
      break;
    case get_accumulate:
      CALL(Get_accumulate,
           (one->buffer, numbers, MPI_INT, one->buffer + numbers, numbers, MPI_INT, AT, numbers,
            MPI_INT, MPI_SUM, window),
           FACTS, NAMED);
      break;
    case fetch_and_op:
      CALL(Fetch_and_op, (one->buffer, one->buffer + 1, MPI_INT, AT, MPI_SUM, window), FACTS,
           NAMED);
      break;
    default: {
      static const int zero = 0;  // what a slot is reset to before each epoch
      one->buffer[0] = (int)(one->key & 0xffff) + 1;
      CALL(Compare_and_swap, (one->buffer, &zero, one->buffer + 1, MPI_INT, AT, window), FACTS,
           NAMED);
    }
  }
}

/// Starts those of this rank that go to `target`; any target if that is negative.
static void start_those(Dice* mine, int count, int target) {
  int i;
  for (i = 0; i < count; ++i)
    if (operation[i].origin == on->me && (target < 0 || operation[i].target == target))
      start(mine, &operation[i]);
}

/// What this rank has got, and frees all buffers.
static void check_mine(int count) {
  int i, n;
  for (i = 0; i < count; ++i) {
    Operation* one = &operation[i];
    if (one->origin != on->me) continue;
    if (one->kind == get) {
      int wanted[fixed], came[fixed];
      for (n = 0; n < one->numbers; ++n)
        wanted[n] = fixed_value(one->target, one->place - fixed_at() + n);
      gather(one->layout, one->count, (unsigned char*)one->buffer, (unsigned char*)came);
      CHECK(memcmp(wanted, came, sizeof(int) * (size_t)one->numbers) == 0, "a get of w%d is wrong",
            name);
    }
    if (one->kind == compare_and_swap) CHECK(one->buffer[1] == 0, "w%d was not reset", name);
    free(one->buffer);
  }
}

/// What others have put here and added, to what there was.
static void check_memory(int count, const int* before) {
  int wanted[most_ranks * slot + fixed + counters], i, n;
  memcpy(wanted, before, sizeof(int) * (size_t)numbers_in_all());
  for (i = 0; i < count; ++i) {
    const Operation* one = &operation[i];
    if (one->target != on->me) continue;
    if (one->kind == put)
      make_payload(one->key, (unsigned char*)&wanted[one->place], element * one->numbers);
    else if (one->kind == compare_and_swap)
      wanted[one->place] = (int)(one->key & 0xffff) + 1;
    else if (one->kind != get)
      for (n = 0; n < one->numbers; ++n) wanted[one->place + n] += 1 + n;
  }
  CHECK(memcmp(wanted, memory, sizeof(int) * (size_t)numbers_in_all()) == 0,
        "what others did in w%d is wrong", name);
}

static void reset(void) {
  int i;
  memset(memory, 0, sizeof(int) * (size_t)numbers_in_all());
  for (i = 0; i < fixed; ++i) memory[fixed_at() + i] = fixed_value(on->me, i);
}

static int has(int count, int origin, int target) {
  while (count-- > 0)
    if (operation[count].origin == origin && operation[count].target == target) return 1;
  return 0;
}

static void post_start_complete_wait(Dice* mine, int count) {
  int origins[most_ranks], targets[most_ranks], origin_count = 0, target_count = 0, r, flag = 0;
  MPI_Group all, group_of_origins, group_of_targets;
  for (r = 0; r < on->size; ++r) {
    if (has(count, r, on->me)) origins[origin_count++] = r;
    if (has(count, on->me, r)) targets[target_count++] = r;
  }
  MPI_Comm_group(on->comm, &all);
  MPI_Group_incl(all, origin_count, origins, &group_of_origins);
  MPI_Group_incl(all, target_count, targets, &group_of_targets);
  CALL(Win_post, (group_of_origins, 0, window), "window=w%d", name);
  CALL(Win_start, (group_of_targets, 0, window), "window=w%d", name);
  start_those(mine, count, -1);
  CALL(Win_complete, (window), "window=w%d", name);
  if (one_in(mine, 2)) {
    CALL(Win_wait, (window), "window=w%d", name);
  } else {
    while (!flag) {
      CALL(Win_test, (window, &flag), "window=w%d", name);
      if (!flag) pause_briefly();
    }
  }
  MPI_Group_free(&group_of_targets);
  MPI_Group_free(&group_of_origins);
  MPI_Group_free(&all);
}

static void one_by_one(Dice* mine, int count) {
  int r;
  for (r = 0; r < on->size; ++r) {
    if (!has(count, on->me, r)) continue;
    CALL(Win_lock, (one_in(mine, 2) ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, r, 0, window),
         "window=w%d peer=%d", name, r);
    start_those(mine, count, r);
    if (one_in(mine, 3)) CALL(Win_flush, (r, window), "window=w%d peer=%d", name, r);
    CALL(Win_unlock, (r, window), "window=w%d peer=%d", name, r);
  }
}

static void at_all(Dice* mine, int count) {
  int r;
  CALL(Win_lock_all, (0, window), "window=w%d", name);
  start_those(mine, count, -1);
  switch (HAS_FLUSH_LOCAL ? below(mine, 4) : 2 * below(mine, 2)) {
    case 0: CALL(Win_flush_all, (window), "window=w%d", name); break;
    case 1: CALL(Win_flush_local_all, (window), "window=w%d", name); break;
    case 2:
      for (r = 0; r < on->size; ++r) CALL(Win_flush, (r, window), "window=w%d peer=%d", name, r);
      break;
    default:
      for (r = 0; r < on->size; ++r)
        CALL(Win_flush_local, (r, window), "window=w%d peer=%d", name, r);
  }
  CALL(Win_unlock_all, (window), "window=w%d", name);
}

/// One epoch, with what all do before and after it.
static void epoch(Dice* dice, Dice* mine, Synchronisation how) {
  const int count = plan(dice);
  int before[most_ranks * slot + fixed + counters];
  if (how == lock || how == lock_all)
    CALL(Win_lock, (MPI_LOCK_EXCLUSIVE, on->me, 0, window), "window=w%d peer=%d", name, on->me);
  reset();
  memcpy(before, memory, sizeof(int) * (size_t)numbers_in_all());
  if (how == lock || how == lock_all)
    CALL(Win_unlock, (on->me, window), "window=w%d peer=%d", name, on->me);
  CALL(Barrier, (on->comm), "comm=c%d", on->number);
  has_requests = how == lock || how == lock_all;
  switch (how) {
    case fence:
      CALL(Win_fence, (MPI_MODE_NOPRECEDE, window), "window=w%d", name);
      start_those(mine, count, -1);
      CALL(Win_fence, (MPI_MODE_NOSUCCEED, window), "window=w%d", name);
      break;
    case pscw: post_start_complete_wait(mine, count); break;
    case lock: one_by_one(mine, count); break;
    default: at_all(mine, count);
  }
  check_mine(count);
  CALL(Barrier, (on->comm), "comm=c%d", on->number);
  if (has_requests)
    CALL(Win_lock, (MPI_LOCK_EXCLUSIVE, on->me, 0, window), "window=w%d peer=%d", name, on->me);
  check_memory(count, before);
  if (has_requests) CALL(Win_unlock, (on->me, window), "window=w%d peer=%d", name, on->me);
  CALL(Barrier, (on->comm), "comm=c%d", on->number);
}

void windows(Dice* dice, const Group* of) {
  static int made;
  static const char* const flavour[] = {"create", "allocate", "shared", "dynamic"};
  const int which = below(dice, 4);
  const Synchronisation how = (Synchronisation)below(dice, synchronisations);
  int epochs = 1 + below(dice, 4), r, *own = NULL;
  Dice mine = {draw(dice) + (uint64_t)world_rank};
  MPI_Aint bytes;
  on = of;
  name = made++;
  bytes = element * numbers_in_all();
  for (r = 0; r < on->size; ++r) base[r] = 0;
  if (which == 0 || which == 3) own = memory = (int*)calloc(1, (size_t)bytes);
  switch (which) {
    case 0:
      CALL(Win_create, (memory, bytes, element, MPI_INFO_NULL, on->comm, &window), "comm=c%d",
           on->number);
      break;
    case 1:
      CALL(Win_allocate, (bytes, element, MPI_INFO_NULL, on->comm, &memory, &window), "comm=c%d",
           on->number);
      break;
    case 2:
      CALL(Win_allocate_shared, (bytes, element, MPI_INFO_NULL, on->comm, &memory, &window),
           "comm=c%d", on->number);
      break;
    default:
      CALL(Win_create_dynamic, (MPI_INFO_NULL, on->comm, &window), "comm=c%d", on->number);
      MPI_Win_attach(window, memory, bytes);
      MPI_Get_address(memory, &base[on->me]);
      CALL(Allgather, (MPI_IN_PLACE, 1, MPI_AINT, base, 1, MPI_AINT, on->comm), "comm=c%d",
           on->number);
  }
  log_fact("window name=w%d comm=c%d flavour=%s bytes=%ld", name, on->number, flavour[which],
           which == 3 ? 0 : (long)bytes);
  for (; epochs > 0; --epochs) epoch(dice, &mine, how);
  if (which == 3) MPI_Win_detach(window, memory);
  CALL(Win_free, (&window), "window=w%d", name);
  free(own);
}
