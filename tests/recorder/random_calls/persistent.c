// Requests that last: persistent ones, and partitioned ones where MPI has them.

#include <stdio.h>
#include <stdlib.h>

#include "features.h"
#include "messages.h"
#include "plain_log.h"

static Message message[most_messages];
static Flight flight;

#define INIT(name, buffer, length, layout, peer, tag)                                           \
  CALL(name,                                                                                    \
       (buffer, length, (layout)->type, peer, tag, on->comm, &flight.handle[flight.count - 1]), \
       "comm=c%d peer=%d tag=%d count=%d type=t%d request=%d", on->number, peer, tag, length,   \
       (layout)->number, one->number)

static void prepare_receive(const Group* on, const Message* m, int wild, const Layout* in,
                            int count) {
  Pending* one = take_off(&flight);
  one->receives = 1;
  one->wild = wild;
  one->message = m->source == MPI_PROC_NULL ? NULL : m;
  one->in = in;
  if (m->source == MPI_PROC_NULL) flight.nobody = 1;
  one->in_count = count;
  one->buffer = emptied(in, count);
  INIT(Recv_init, one->buffer, count, in, wild ? MPI_ANY_SOURCE : m->source,
       wild ? MPI_ANY_TAG : m->tag);
}

static void prepare_send(Dice* mine, const Group* on, const Message* m, int ready) {
  Pending* one = take_off(&flight);
  one->message = m;
  one->buffer = filled(m);
  if (m->target == MPI_PROC_NULL) flight.nobody = 1;
  switch (below(mine, ready ? 5 : 4)) {
    case 0:
      if (bytes_of(m->out, m->out_count) < 1000) {
        INIT(Bsend_init, one->buffer, m->out_count, m->out, m->target, m->tag);
        break;
      }  // fall through
    case 1: INIT(Ssend_init, one->buffer, m->out_count, m->out, m->target, m->tag); break;
    case 4: INIT(Rsend_init, one->buffer, m->out_count, m->out, m->target, m->tag); break;
    default: INIT(Send_init, one->buffer, m->out_count, m->out, m->target, m->tag);
  }
}

/// Starts those from `begin` to `end`, one by one or together.
static void start(int begin, int end, int together) {
  static char list[24 * most_messages];
  int i, at = 0;
  if (!together) {
    for (i = begin; i < end; ++i)
      CALL(Start, (&flight.handle[i]), "requests=1 start=%d", flight.of[i].number);
    return;
  }
  for (i = begin, list[0] = 0; i < end; ++i)
    at += sprintf(list + at, "%s%d", i == begin ? "" : ",", flight.of[i].number);
  CALL(Startall, (end - begin, flight.handle + begin), "requests=%d start=%s", end - begin, list);
}

void persistent(Dice* dice, const Group* on) {
  const int wild = one_in(dice, 4), ready = one_in(dice, 3);
  const int count = plan_messages(dice, on, 4 * on->size, wild ? 4 : -1, message);
  const int rounds = 1 + below(dice, 8);
  Dice mine = {draw(dice) + (uint64_t)world_rank};
  int i, round, most = 0, receives;
  for (i = 0; i < count; ++i)
    if (message[i].out_count * message[i].out->elements > most)
      most = message[i].out_count * message[i].out->elements;
  board(&flight, on, wild ? message : NULL, wild ? count : 0);
  flight.lasting = 1;
  for (i = 0; i < count; ++i)
    if (message[i].target == on->me)
      prepare_receive(on, &message[i], wild, wild ? &layout[4] : message[i].in,
                      wild ? most : message[i].in_count);
  receives = flight.count;
  for (i = 0; i < count; ++i)
    if (message[i].source == on->me) prepare_send(&mine, on, &message[i], ready);
  for (round = 0; round < rounds; ++round) {
    for (i = 0; i < count; ++i) message[i].key += 77;
    for (i = 0; i < flight.count; ++i)
      if (flight.of[i].receives)
        empty(flight.of[i].in, flight.of[i].in_count, flight.of[i].buffer);
      else
        fill(flight.of[i].message, flight.of[i].buffer);
    if (ready) {
      start(0, receives, one_in(&mine, 2));
      CALL(Barrier, (on->comm), "comm=c%d", on->number);
      start(receives, flight.count, one_in(&mine, 2));
    } else {
      start(0, flight.count, one_in(&mine, 2));
    }
    land(&mine, &flight);
    if (wild) CALL(Barrier, (on->comm), "comm=c%d", on->number);
  }
  for (i = 0; i < flight.count; ++i)
    CALL(Request_free, (&flight.handle[i]), "request=%d", flight.of[i].number);
  leave(&flight);
}

#if HAS_PARTITIONED
/// A message to each next rank, in parts that become ready one by one.
void partitioned(Dice* dice, const Group* on) {
  enum { most_parts = 8, most_length = 50 };
  static int out[most_parts * most_length], in[most_parts * most_length];
  const int parts = 1 + below(dice, most_parts), length = 1 + below(dice, most_length);
  const int rounds = 1 + below(dice, 4), tag = below(dice, 6), far = 1 + below(dice, on->size);
  const int right = (on->me + far) % on->size,
            left = (on->me + on->size - far % on->size) % on->size;
  Dice mine = {draw(dice) + (uint64_t)world_rank};
  const int sends = new_request(), receives = new_request();
  MPI_Request request[2];
  int round, i, part, list[most_parts];
  CALL(Psend_init, (out, parts, length, MPI_INT, right, tag, on->comm, MPI_INFO_NULL, &request[0]),
       "comm=c%d peer=%d tag=%d count=%d type=t2 partitions=%d request=%d", on->number, right, tag,
       length, parts, sends);
  CALL(Precv_init, (in, parts, length, MPI_INT, left, tag, on->comm, MPI_INFO_NULL, &request[1]),
       "comm=c%d peer=%d tag=%d count=%d type=t2 partitions=%d request=%d", on->number, left, tag,
       length, parts, receives);
  for (round = 0; round < rounds; ++round) {
    int flag = 0;
    for (i = 0; i < parts * length; ++i) out[i] = on->me * 1000000 + round * 10000 + i, in[i] = -1;
    CALL(Startall, (2, request), "requests=2 start=%d,%d", sends, receives);
    for (part = 0; part < parts; ++part) list[part] = part;
    for (part = parts - 1; part > 0; --part) {
      const int other = below(&mine, part + 1), was = list[part];
      list[part] = list[other];
      list[other] = was;
    }
    switch (below(&mine, 3)) {
      case 0:
        for (part = 0; part < parts; ++part)
          CALL(Pready, (list[part], request[0]), "request=%d", sends);
        break;
      case 1: CALL(Pready_range, (0, parts - 1, request[0]), "request=%d", sends); break;
      default: CALL(Pready_list, (parts, list, request[0]), "request=%d", sends);
    }
    for (part = 0; part < parts; ++part)
      for (flag = 0; !flag;) {
        CALL(Parrived, (request[1], part, &flag), "request=%d", receives);
        if (!flag) pause_briefly();
      }
    CALL(Waitall, (2, request, MPI_STATUSES_IGNORE), "requests=2 done=%d,%d:%d:%d", sends, receives,
         left, tag);
    for (i = 0; i < parts * length; ++i)
      CHECK(in[i] == left * 1000000 + round * 10000 + i, "a part of %d is wrong", left);
  }
  CALL(Request_free, (&request[0]), "request=%d", sends);
  CALL(Request_free, (&request[1]), "request=%d", receives);
}
#else
void partitioned(Dice* dice, const Group* on) {
  shifts(dice, on);
}
#endif
