#include "messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plain_log.h"

enum { noise = 0xa5, most_packed = 1 << 18 };

int new_request(void) {
  static int made;
  return made++;
}

static const Layout* some_layout(Dice* dice, int basic) {
  for (;;) {
    const Layout* of = &layout[one_in(dice, 3) && basic >= 0 ? basic : below(dice, layouts)];
    if (basic < 0 || of->basic == basic) return of;
  }
}

/// What receives the message: the same datatype, or another one of as many basic elements.
static void plan_receive(Dice* dice, Message* message) {
  const int elements = message->out_count * message->out->elements;
  int tries;
  message->in = message->out;
  message->in_count = message->out_count;
  if (message->out->basic >= 0 && one_in(dice, 2))
    for (tries = 0; tries < 20; ++tries) {
      const Layout* in = some_layout(dice, message->out->basic);
      if (elements % in->elements != 0 || elements / in->elements > 20000) continue;
      message->in = in;
      message->in_count = elements / in->elements;
      break;
    }
  if (one_in(dice, 4)) message->in_count += below(dice, 3);
}

int plan_messages(Dice* dice, const Group* on, int most, int basic, Message* message) {
  const int count = 1 + below(dice, most < most_messages ? most : most_messages);
  int i;
  for (i = 0; i < count; ++i) {
    Message* one = &message[i];
    one->source = below(dice, on->size);
    one->target = below(dice, on->size);
    if (basic < 0 && one_in(dice, 10)) {
      if (one_in(dice, 2))
        one->source = MPI_PROC_NULL;
      else
        one->target = MPI_PROC_NULL;
    }
    one->tag = below(dice, 6);
    one->out = some_layout(dice, basic);
    one->out_count = one_in(dice, 8) ? 0 : 1 + below(dice, 6);
    if (!one->out->derived && one_in(dice, 2)) one->out_count = below(dice, 300);
    if (!one->out->derived && one_in(dice, 20)) one->out_count = 2000 + below(dice, 10000);
    one->key = draw(dice);
    plan_receive(dice, one);
  }
  return count;
}

void fill(const Message* message, unsigned char* buffer) {
  static unsigned char packed[most_packed];
  const long bytes = bytes_of(message->out, message->out_count);
  memset(buffer, noise, (size_t)span_of(message->out, message->out_count));
  make_payload(message->key, packed, bytes);
  scatter(message->out, message->out_count, packed, bytes, buffer);
}

void empty(const Layout* in, int count, unsigned char* buffer) {
  memset(buffer, noise, (size_t)span_of(in, count));
}

unsigned char* filled(const Message* message) {
  unsigned char* buffer =
      (unsigned char*)malloc((size_t)span_of(message->out, message->out_count) + 1);
  fill(message, buffer);
  return buffer;
}

unsigned char* emptied(const Layout* in, int count) {
  unsigned char* buffer = (unsigned char*)malloc((size_t)span_of(in, count) + 1);
  empty(in, count, buffer);
  return buffer;
}

void check_received(const Message* message, const Layout* in, int count,
                    const unsigned char* buffer) {
  static unsigned char packed[most_packed];
  const long bytes = bytes_of(message->out, message->out_count);
  unsigned char* expected = emptied(in, count);
  make_payload(message->key, packed, bytes);
  scatter(in, count, packed, bytes, expected);
  CHECK(memcmp(expected, buffer, (size_t)span_of(in, count)) == 0,
        "what came from %d with tag %d is not what was sent (%ld bytes)", message->source,
        message->tag, bytes);
  free(expected);
}

void check_status(const Message* message, const Layout* in, const MPI_Status* status) {
  int elements;
  if (status == NULL) return;
  if (in->basic >= 0) {
    MPI_Get_count(status, layout[in->basic].type, &elements);
  } else {  // the same datatype here and there
    MPI_Get_count(status, in->type, &elements);
    elements *= in->elements;
  }
  CHECK(status->MPI_SOURCE == message->source && status->MPI_TAG == message->tag &&
            elements == message->out_count * message->out->elements,
        "a status tells of %d, %d, %d, not %d, %d, %d", status->MPI_SOURCE, status->MPI_TAG,
        elements, message->source, message->tag, message->out_count * message->out->elements);
}

const Message* met(const Message* candidate, int candidates, int target, const MPI_Status* status,
                   const Layout* in, const unsigned char* buffer) {
  static unsigned char packed[most_packed], came[most_packed];
  const Message* found = NULL;
  int i;
  for (i = 0; i < candidates; ++i) {
    const Message* one = &candidate[i];
    const long bytes = bytes_of(one->out, one->out_count);
    if (one->target != target) continue;
    if (status != NULL && (status->MPI_SOURCE != one->source || status->MPI_TAG != one->tag))
      continue;
    if (found != NULL && bytes_of(found->out, found->out_count) >= bytes) continue;
    make_payload(one->key, packed, bytes);
    gather(in, (int)((bytes + in->bytes - 1) / in->bytes), buffer, came);
    if (memcmp(packed, came, (size_t)bytes) == 0) found = one;
  }
  CHECK(found != NULL, "a wildcard has met what nobody has sent");
  return found;
}

void board(Flight* flight, const Group* on, const Message* candidate, int candidates) {
  int i;
  flight->count = 0;
  flight->me = on->me;
  flight->candidate = candidate;
  flight->candidates = candidates;
  flight->small = flight->lasting = flight->nobody = 0;
  for (i = 0; i < candidates; ++i)
    if (bytes_of(candidate[i].out, candidate[i].out_count) < 8) flight->small = 1;
}

Pending* take_off(Flight* flight) {
  Pending* one = &flight->of[flight->count++];
  CHECK(flight->count <= 2 * most_messages, "too much under way");
  memset(one, 0, sizeof *one);
  one->number = new_request();
  return one;
}

void leave(Flight* flight) {
  int i;
  for (i = 0; i < flight->count; ++i) free(flight->of[i].buffer);
  flight->count = 0;
}

// What a completing call has completed, as the log has it.
static char done[2 * most_messages * 40];
static int done_length;

/// One request is complete: looks at its data, and puts it on the list.
static void arrived(Flight* flight, int which, const MPI_Status* status) {
  Pending* one = &flight->of[which];
  done_length += sprintf(done + done_length, "%s%d", done_length == 0 ? "" : ",", one->number);
  if (one->cancelled) {
    int cancelled = 1;
    if (status != NULL) MPI_Test_cancelled(status, &cancelled);
    CHECK(cancelled, "what nobody has sent was received");
    done_length += sprintf(done + done_length, ":cancelled");
  } else if (one->receives && (one->wild || one->message != NULL)) {
    const Message* message = one->message;
    if (one->wild)
      message =
          met(flight->candidate, flight->candidates, flight->me, status, one->in, one->buffer);
    check_status(message, one->in, status);
    check_received(message, one->in, one->in_count, one->buffer);
    done_length += sprintf(done + done_length, ":%d:%d", message->source, message->tag);
  }
}

/// Calls, and logs with what `arrived` has put on the list. The call's times are taken around it
/// alone.
#define COMPLETE(name, arguments, requests, list)                                           \
  do {                                                                                      \
    const double before_call = log_clock();                                                 \
    double after_call;                                                                      \
    MPI_##name arguments;                                                                   \
    after_call = log_clock();                                                               \
    done_length = 0;                                                                        \
    done[0] = 0;                                                                            \
    list;                                                                                   \
    log_call("MPI_" #name, before_call, after_call, "requests=%d done=%s", requests, done); \
  } while (0)

/// So many of those at `index`, which are complete.
static void several_arrived(Flight* flight, int count, const int* index,
                            const MPI_Status* statuses) {
  int i;
  for (i = 0; i < count; ++i) arrived(flight, index[i], statuses == NULL ? NULL : &statuses[i]);
}

static void all_arrived(Flight* flight, const char* landed, const MPI_Status* statuses) {
  int i;
  for (i = 0; i < flight->count; ++i)
    if (!landed[i]) arrived(flight, i, statuses == NULL ? NULL : &statuses[i]);
}

void land(Dice* dice, Flight* flight) {
  static MPI_Status statuses[2 * most_messages];
  static int index[2 * most_messages];
  char landed[2 * most_messages] = {0};
  const int n = flight->count, asks = flight->small || one_in(dice, 2);
  MPI_Status one, *status = asks ? &one : MPI_STATUS_IGNORE, *told = asks ? &one : NULL;
  MPI_Status* all = asks ? statuses : MPI_STATUSES_IGNORE;
  // After MPI_Request_get_status MPICH 5.0 forgets the status of a persistent request.
  int left = n, flag, at, i, way = below(dice, flight->lasting ? 9 : 10);
  for (at = 0; at < n; ++at) index[at] = at;
  for (at = n - 1; at > 0; --at) {
    const int other = below(dice, at + 1), was = index[at];
    index[at] = index[other];
    index[other] = was;
  }
  if (flight->lasting && flight->nobody && way != 1 && way != 5)  // to MPICH these are not active
    way = one_in(dice, 2) ? 0 : 4;
  if (n == 0 && way != 0 && way != 4) return;
  if (way == 8) {  // some one by one, the others together
    for (; left > n / 2; --left)
      COMPLETE(Waitany, (n, flight->handle, &at, status), n,
               (landed[at] = 1, arrived(flight, at, told)));
    way = one_in(dice, 2) ? 0 : 4;
  }
  switch (way) {
    case 0:
      COMPLETE(Waitall, (n, flight->handle, all), n,
               all_arrived(flight, landed, asks ? all : NULL));
      break;
    case 1:
      for (i = 0; i < n; ++i)
        COMPLETE(Wait, (&flight->handle[index[i]], status), 1, arrived(flight, index[i], told));
      break;
    case 2:
      for (; left > 0; --left)
        COMPLETE(Waitany, (n, flight->handle, &at, status), n, arrived(flight, at, told));
      break;
    case 3:
      while (left > 0) {
        COMPLETE(Waitsome, (n, flight->handle, &at, index, all), n,
                 several_arrived(flight, at, index, asks ? all : NULL));
        left -= at;
      }
      break;
    case 4:
      do {
        COMPLETE(Testall, (n, flight->handle, &flag, all), n,
                 if (flag) all_arrived(flight, landed, asks ? all : NULL));
        if (!flag) pause_briefly();
      } while (!flag);
      break;
    case 5:
      for (i = 0; left > 0; i = (i + 1) % n) {
        if (landed[index[i]]) continue;
        COMPLETE(Test, (&flight->handle[index[i]], &flag, status), 1,
                 if (flag) arrived(flight, index[i], told));
        landed[index[i]] = (char)flag;
        left -= flag;
        if (!flag) pause_briefly();
      }
      break;
    case 6:
      while (left > 0) {
        COMPLETE(Testany, (n, flight->handle, &at, &flag, status), n,
                 if (flag) arrived(flight, at, told));
        left -= flag;
        if (!flag) pause_briefly();
      }
      break;
    case 7:
      while (left > 0) {
        COMPLETE(Testsome, (n, flight->handle, &at, index, all), n,
                 several_arrived(flight, at, index, asks ? all : NULL));
        left -= at;
        if (at == 0) pause_briefly();
      }
      break;
    case 9:  // looks without completing
      for (i = 0; i < n; ++i) {
        for (flag = 0; !flag;) {
          CALL(Request_get_status, (flight->handle[index[i]], &flag, status), "request=%d",
               flight->of[index[i]].number);
          if (!flag) pause_briefly();
        }
        COMPLETE(Wait, (&flight->handle[index[i]], status), 1, arrived(flight, index[i], told));
      }
  }
}
