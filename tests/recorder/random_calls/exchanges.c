// Messages without requests that last: nonblocking, blocking, with wildcards, shifts.

#include <stdlib.h>
#include <string.h>

#include "features.h"
#include "messages.h"
#include "plain_log.h"

enum { ready_tag = 99, cancelled_tag = 98 };

static Message message[most_messages];
static Flight flight;

/// Random numbers of this rank alone.
static Dice of_mine(Dice* dice) {
  const Dice mine = {draw(dice) + (uint64_t)world_rank};
  return mine;
}

#define SEND(name, m, buffer)                                                           \
  CALL(name, (buffer, (m)->out_count, (m)->out->type, (m)->target, (m)->tag, on->comm), \
       "comm=c%d peer=%d tag=%d count=%d type=t%d", on->number, (m)->target, (m)->tag,  \
       (m)->out_count, (m)->out->number)
#define ISEND(name, m, one)                                                                       \
  CALL(name,                                                                                      \
       ((one)->buffer, (m)->out_count, (m)->out->type, (m)->target, (m)->tag, on->comm,           \
        &flight.handle[flight.count - 1]),                                                        \
       "comm=c%d peer=%d tag=%d count=%d type=t%d request=%d", on->number, (m)->target, (m)->tag, \
       (m)->out_count, (m)->out->number, (one)->number)

void exchange_in_ring(const Group* on) {
  const int right = (on->me + 1) % on->size, left = (on->me + on->size - 1) % on->size;
  int mine[3] = {on->me, on->number, 7}, came[3] = {-1, -1, -1};
  CALL(Sendrecv,
       (mine, 3, MPI_INT, right, 5, came, 3, MPI_INT, left, 5, on->comm, MPI_STATUS_IGNORE),
       "comm=c%d peer=%d tag=5 count=3 type=t2 other_peer=%d other_tag=5 other_count=3 "
       "other_type=t2 "
       "met=%d:5",
       on->number, right, left, left);
  CHECK(came[0] == left && came[1] == on->number, "the ring of c%d is broken", on->number);
}

static void post_receive(const Group* on, const Message* m) {
  Pending* one = take_off(&flight);
  MPI_Datatype type;
  one->receives = 1;
  one->message = m->source == MPI_PROC_NULL ? NULL : m;
  one->in = m->in;
  one->in_count = m->in_count;
  one->buffer = emptied(m->in, m->in_count);
  MPI_Type_dup(m->in->type, &type);  // which ends before the receive does
  CALL(Irecv,
       (one->buffer, m->in_count, type, m->source, m->tag, on->comm,
        &flight.handle[flight.count - 1]),
       "comm=c%d peer=%d tag=%d count=%d type=t%d request=%d", on->number, m->source, m->tag,
       m->in_count, m->in->number, one->number);
  MPI_Type_free(&type);
}

static void post_send(Dice* mine, const Group* on, const Message* m, int ready) {
  Pending* one = take_off(&flight);
  const long bytes = bytes_of(m->out, m->out_count);
  one->message = m;
  one->buffer = filled(m);
  switch (below(mine, 4 + (ready ? 2 : 0))) {
    case 0:
      if (bytes < 4000) {
        ISEND(Ibsend, m, one);
        break;
      }  // fall through
    case 1: ISEND(Issend, m, one); break;
    case 4:
    case 5: ISEND(Irsend, m, one); break;
    default: ISEND(Isend, m, one);
  }
}

/// A receive that meets nothing, and is taken back.
static void post_cancelled(const Group* on) {
  Pending* one = take_off(&flight);
  MPI_Request* handle = &flight.handle[flight.count - 1];
  one->receives = one->cancelled = 1;
  one->in = &layout[2];
  one->in_count = 1;
  one->buffer = emptied(one->in, 1);
  CALL(Irecv, (one->buffer, 1, MPI_INT, on->me, cancelled_tag, on->comm, handle),
       "comm=c%d peer=%d tag=%d count=1 type=t2 request=%d", on->number, on->me, cancelled_tag,
       one->number);
  CALL(Cancel, (handle), "request=%d", one->number);
}

void nonblocking(Dice* dice, const Group* on) {
  const int count = plan_messages(dice, on, 6 * on->size, -1, message), ready = one_in(dice, 4);
  Dice mine = of_mine(dice);
  unsigned char* forgotten[most_messages];
  int i, forgotten_count = 0;
  board(&flight, on, NULL, 0);
  if (ready) {
    for (i = 0; i < count; ++i)
      if (message[i].target == on->me) post_receive(on, &message[i]);
    CALL(Barrier, (on->comm), "comm=c%d", on->number);
  }
  for (i = 0; i < count; ++i) {
    const Message* m = &message[i];
    if (m->target == on->me && !ready) post_receive(on, m);
    if (m->source == on->me) {
      if (one_in(&mine, 20)) {  // nobody asks whether it has left
        Pending* one = take_off(&flight);
        one->buffer = filled(m);
        ISEND(Isend, m, one);
        CALL(Request_free, (&flight.handle[flight.count - 1]), "request=%d", one->number);
        forgotten[forgotten_count++] = one->buffer;
        --flight.count;
      } else {
        post_send(&mine, on, m, ready);
      }
    }
  }
  if (one_in(&mine, 8)) post_cancelled(on);
  land(&mine, &flight);
  leave(&flight);
  // Once all have received, what nobody has asked for has left, too.
  CALL(Barrier, (on->comm), "comm=c%d", on->number);
  for (i = 0; i < forgotten_count; ++i) free(forgotten[i]);
}

/// Receives a message by one of the ways that block.
static void receive(Dice* mine, const Group* on, const Message* m) {
  unsigned char* buffer = emptied(m->in, m->in_count);
  const int tag = one_in(mine, 4) && m->source != MPI_PROC_NULL ? MPI_ANY_TAG : m->tag;
  const int asks = one_in(mine, 2), nobody = m->source == MPI_PROC_NULL;
  MPI_Status one, *status = asks ? &one : MPI_STATUS_IGNORE, probed;
  MPI_Message handle;
  int flag = 0, way = below(mine, 6);
#define WHOM "comm=c%d peer=%d tag=%d"
#define MET WHOM " met=%d:%d"
#define NAMED on->number, m->source, tag, m->source, m->tag
  if (nobody) way = 0;
  if (way == 1) {
    CALL(Probe, (m->source, tag, on->comm, &probed), MET, NAMED);
  } else if (way == 2) {
    while (!flag) {
      const double before = log_clock();
      MPI_Iprobe(m->source, tag, on->comm, &flag, &probed);
      if (flag)
        log_call("MPI_Iprobe", before, log_clock(), MET, NAMED);
      else
        log_call("MPI_Iprobe", before, log_clock(), WHOM, on->number, m->source, tag);
      if (!flag) pause_briefly();
    }
  } else if (way == 3) {
    CALL(Mprobe, (m->source, tag, on->comm, &handle, &probed), MET, NAMED);
  } else if (way == 4) {
    while (!flag) {
      const double before = log_clock();
      MPI_Improbe(m->source, tag, on->comm, &flag, &handle, &probed);
      if (flag)
        log_call("MPI_Improbe", before, log_clock(), MET, NAMED);
      else
        log_call("MPI_Improbe", before, log_clock(), WHOM, on->number, m->source, tag);
      if (!flag) pause_briefly();
    }
  }
  if (way >= 1 && way <= 4) check_status(m, m->in, &probed);
  if (way == 3) {
    CALL(Mrecv, (buffer, m->in_count, m->in->type, &handle, status), "count=%d type=t%d met=%d:%d",
         m->in_count, m->in->number, m->source, m->tag);
  } else if (way == 4) {
    MPI_Request request;
    const int number = new_request();
    CALL(Imrecv, (buffer, m->in_count, m->in->type, &handle, &request),
         "count=%d type=t%d request=%d", m->in_count, m->in->number, number);
    CALL(Wait, (&request, status), "requests=1 done=%d:%d:%d", number, m->source, m->tag);
  } else if (way == 5) {
    MPI_Request request;
    const int number = new_request();
    CALL(Irecv, (buffer, m->in_count, m->in->type, m->source, tag, on->comm, &request),
         WHOM " count=%d type=t%d request=%d", on->number, m->source, tag, m->in_count,
         m->in->number, number);
    CALL(Wait, (&request, status), "requests=1 done=%d:%d:%d", number, m->source, m->tag);
  } else if (nobody) {
    CALL(Recv, (buffer, m->in_count, m->in->type, m->source, tag, on->comm, status),
         WHOM " count=%d type=t%d", on->number, m->source, tag, m->in_count, m->in->number);
    CHECK(!asks || one.MPI_SOURCE == MPI_PROC_NULL, "nobody has a rank");
  } else {
    CALL(Recv, (buffer, m->in_count, m->in->type, m->source, tag, on->comm, status),
         MET " count=%d type=t%d", NAMED, m->in_count, m->in->number);
  }
#undef WHOM
#undef MET
#undef NAMED
  if (!nobody) {
    check_status(m, m->in, asks ? &one : NULL);
    check_received(m, m->in, m->in_count, buffer);
  }
  free(buffer);
}

/// Receives are there before the sends: what a ready send needs, and one to oneself.
static void receive_before(Dice* mine, const Group* on, const Message* m, int itself) {
  int none;
  board(&flight, on, NULL, 0);
  post_receive(on, m);
  if (itself) {
    unsigned char* buffer = filled(m);
    SEND(Send, m, buffer);
    free(buffer);
  } else {
    CALL(Send, (&none, 0, MPI_INT, m->source, ready_tag, on->comm),
         "comm=c%d peer=%d tag=%d count=0 type=t2", on->number, m->source, ready_tag);
  }
  land(mine, &flight);
  leave(&flight);
}

static void send(Dice* mine, const Group* on, const Message* m, int ready) {
  unsigned char* buffer = filled(m);
  const int way = below(mine, 4);
  int none;
  if (ready) {
    CALL(Recv, (&none, 0, MPI_INT, m->target, ready_tag, on->comm, MPI_STATUS_IGNORE),
         "comm=c%d peer=%d tag=%d met=%d:%d count=0 type=t2", on->number, m->target, ready_tag,
         m->target, ready_tag);
    SEND(Rsend, m, buffer);
  } else if (way == 0 && bytes_of(m->out, m->out_count) < 4000) {
    SEND(Bsend, m, buffer);
  } else if (way == 1) {
    SEND(Ssend, m, buffer);
  } else {
    SEND(Send, m, buffer);
  }
  free(buffer);
}

/// All take the messages in the same order, so that the first one always finds both its ranks.
void blocking(Dice* dice, const Group* on) {
  const int count = plan_messages(dice, on, 4 * on->size, -1, message);
  Dice mine = of_mine(dice);
  int i;
  for (i = 0; i < count; ++i) {
    const Message* m = &message[i];
    const int itself = m->source == m->target;
    const int ready = one_in(dice, 5) && m->source != MPI_PROC_NULL && m->target != MPI_PROC_NULL;
    if (m->source == on->me && !itself) send(&mine, on, m, ready);
    if (m->target == on->me) {
      if (itself || ready)
        receive_before(&mine, on, m, itself);
      else
        receive(&mine, on, m);
    }
  }
}

/// Receives whatever comes, by one of the ways that block.
static void receive_any(Dice* mine, const Group* on, const Layout* in, int in_count, int tag,
                        int count) {
  unsigned char* buffer = emptied(in, in_count);
  const Message* m;
  const int asks = flight.small || one_in(mine, 2);
  MPI_Status one, *status = asks ? &one : MPI_STATUS_IGNORE;
  MPI_Message handle;
  double before = log_clock(), after;
  int flag = 0;
  switch (below(mine, 4)) {
    case 0:
      MPI_Recv(buffer, in_count, in->type, MPI_ANY_SOURCE, tag, on->comm, status);
      after = log_clock();
      m = met(message, count, on->me, asks ? &one : NULL, in, buffer);
      log_call("MPI_Recv", before, after, "comm=c%d peer=%d tag=%d met=%d:%d count=%d type=t%d",
               on->number, MPI_ANY_SOURCE, tag, m->source, m->tag, in_count, in->number);
      break;
    case 1:
      MPI_Probe(MPI_ANY_SOURCE, tag, on->comm, &one);
      log_call("MPI_Probe", before, log_clock(), "comm=c%d peer=%d tag=%d met=%d:%d", on->number,
               MPI_ANY_SOURCE, tag, one.MPI_SOURCE, one.MPI_TAG);
      CALL(Recv, (buffer, in_count, in->type, one.MPI_SOURCE, one.MPI_TAG, on->comm, &one),
           "comm=c%d peer=%d tag=%d met=%d:%d count=%d type=t%d", on->number, one.MPI_SOURCE,
           one.MPI_TAG, one.MPI_SOURCE, one.MPI_TAG, in_count, in->number);
      m = met(message, count, on->me, &one, in, buffer);
      break;
    case 2:
      MPI_Mprobe(MPI_ANY_SOURCE, tag, on->comm, &handle, &one);
      log_call("MPI_Mprobe", before, log_clock(), "comm=c%d peer=%d tag=%d met=%d:%d", on->number,
               MPI_ANY_SOURCE, tag, one.MPI_SOURCE, one.MPI_TAG);
      CALL(Mrecv, (buffer, in_count, in->type, &handle, MPI_STATUS_IGNORE),
           "count=%d type=t%d met=%d:%d", in_count, in->number, one.MPI_SOURCE, one.MPI_TAG);
      m = met(message, count, on->me, &one, in, buffer);
      break;
    default:
      while (!flag) {
        before = log_clock();
        MPI_Improbe(MPI_ANY_SOURCE, tag, on->comm, &flag, &handle, &one);
        after = log_clock();
        if (flag)
          log_call("MPI_Improbe", before, after, "comm=c%d peer=%d tag=%d met=%d:%d", on->number,
                   MPI_ANY_SOURCE, tag, one.MPI_SOURCE, one.MPI_TAG);
        else
          log_call("MPI_Improbe", before, after, "comm=c%d peer=%d tag=%d", on->number,
                   MPI_ANY_SOURCE, tag);
        if (!flag) pause_briefly();
      }
      CALL(Mrecv, (buffer, in_count, in->type, &handle, status), "count=%d type=t%d met=%d:%d",
           in_count, in->number, one.MPI_SOURCE, one.MPI_TAG);
      m = met(message, count, on->me, &one, in, buffer);
  }
  check_received(m, in, in_count, buffer);
  free(buffer);
}

void wildcards(Dice* dice, const Group* on) {
  const int basic = 2 + below(dice, basics - 2), one_tag = one_in(dice, 3);
  const int count = plan_messages(dice, on, 5 * on->size, basic, message);
  const Layout* in = &layout[basic];
  Dice mine = of_mine(dice);
  int i, most = 0, mine_in = 0, early;
  for (i = 0; i < count; ++i) {
    const int elements = message[i].out_count * message[i].out->elements;
    if (one_tag) message[i].tag = 3;
    if (elements > most) most = elements;
    if (message[i].target == on->me) ++mine_in;
  }
  board(&flight, on, message, count);
  early = mine_in > 0 ? below(&mine, mine_in + 1) : 0;
  for (i = 0; i < early; ++i) {
    Pending* one = take_off(&flight);
    one->receives = one->wild = 1;
    one->in = in;
    one->in_count = most;
    one->buffer = emptied(in, most);
    CALL(Irecv,
         (one->buffer, most, in->type, MPI_ANY_SOURCE, one_tag ? 3 : MPI_ANY_TAG, on->comm,
          &flight.handle[flight.count - 1]),
         "comm=c%d peer=%d tag=%d count=%d type=t%d request=%d", on->number, MPI_ANY_SOURCE,
         one_tag ? 3 : MPI_ANY_TAG, most, in->number, one->number);
  }
  for (i = 0; i < count; ++i)
    if (message[i].source == on->me) post_send(&mine, on, &message[i], 0);
  for (i = early; i < mine_in; ++i)
    receive_any(&mine, on, in, most, one_tag ? 3 : MPI_ANY_TAG, count);
  land(&mine, &flight);
  leave(&flight);
  // Messages of the next exchange would be met, too.
  CALL(Barrier, (on->comm), "comm=c%d", on->number);
}

/// A permutation of the ranks, some of which send nothing or receive nothing.
void shifts(Dice* dice, const Group* on) {
  int to[most_ranks], from[most_ranks], cut[most_ranks], r, turn;
  const int turns = 1 + below(dice, 5), wild = one_in(dice, 4);
  Dice mine = of_mine(dice);
  for (r = 0; r < on->size; ++r) to[r] = r;
  for (r = on->size - 1; r > 0; --r) {
    const int other = below(dice, r + 1), was = to[r];
    to[r] = to[other];
    to[other] = was;
  }
  for (r = 0; r < on->size; ++r) from[to[r]] = r;
  for (r = 0; r < on->size; ++r) cut[r] = one_in(dice, 6);
  for (turn = 0; turn < turns; ++turn) {
    Message *out = NULL, *in = NULL;
    const int replaces = one_in(dice, 3), starts = !wild && one_in(dice, 3);
    unsigned char *sent, *came;
    int number = -1, source, target, tag;
    MPI_Status one, *status = one_in(&mine, 2) ? &one : MPI_STATUS_IGNORE;
    MPI_Request request;
    for (r = 0; r < on->size; ++r) plan_messages(dice, on, 1, wild ? 2 : -1, &message[r]);
    // MPICH 5.0 replaces by other bytes where there are gaps, or a beginning that is none.
    if (replaces && (starts ? message[0].out->derived : message[0].out->first != 0))
      message[0].out = &layout[3];
    for (r = 0; r < on->size; ++r) {
      message[r].source = r;
      message[r].target = to[r];
      if (starts && message[r].in->elements > 0)  // MPICH 5.0 has no status that tells of less
        message[r].in_count =
            message[r].out_count * message[r].out->elements / message[r].in->elements;
      if (replaces) {
        message[r].out = message[r].in = message[0].out;
        message[r].out_count = message[r].in_count = message[0].out_count;
      }
    }
    out = &message[on->me];
    in = &message[from[on->me]];
    target = cut[on->me] ? MPI_PROC_NULL : to[on->me];
    source = cut[from[on->me]] ? MPI_PROC_NULL : from[on->me];
    tag = in->tag;
    if (wild && source != MPI_PROC_NULL) source = MPI_ANY_SOURCE, tag = MPI_ANY_TAG;
    sent = filled(out);
    came = emptied(in->in, in->in_count);
#define SENT "comm=c%d peer=%d tag=%d count=%d type=t%d other_peer=%d other_tag=%d "
#define SENT_NAMED on->number, target, out->tag, out->out_count, out->out->number, source, tag
#define MET cut[from[on->me]] ? MPI_PROC_NULL : in->source, in->tag
#if HAS_ISENDRECV
    if (starts) {
      number = new_request();
      if (replaces)
        CALL(Isendrecv_replace,
             (sent, out->out_count, out->out->type, target, out->tag, source, tag, on->comm,
              &request),
             SENT "request=%d", SENT_NAMED, number);
      else
        CALL(Isendrecv,
             (sent, out->out_count, out->out->type, target, out->tag, came, in->in_count,
              in->in->type, source, tag, on->comm, &request),
             SENT "other_count=%d other_type=t%d request=%d", SENT_NAMED, in->in_count,
             in->in->number, number);
      CALL(Wait, (&request, status), "requests=1 done=%d:%d:%d", number, MET);
      status = MPI_STATUS_IGNORE;  // which MPICH 5.0 leaves as it was
    } else
#endif
    {
      (void)request;
      (void)number;
      (void)starts;
      if (replaces)
        CALL(
            Sendrecv_replace,
            (sent, out->out_count, out->out->type, target, out->tag, source, tag, on->comm, status),
            SENT "met=%d:%d", SENT_NAMED, MET);
      else
        CALL(Sendrecv,
             (sent, out->out_count, out->out->type, target, out->tag, came, in->in_count,
              in->in->type, source, tag, on->comm, status),
             SENT "other_count=%d other_type=t%d met=%d:%d", SENT_NAMED, in->in_count,
             in->in->number, MET);
    }
#undef SENT
#undef SENT_NAMED
#undef MET
    if (source != MPI_PROC_NULL) {
      if (status == &one) check_status(in, in->in, status);
      check_received(in, in->in, in->in_count, replaces ? sent : came);
    }
    free(sent);
    free(came);
    if (wild) CALL(Barrier, (on->comm), "comm=c%d", on->number);
  }
}
