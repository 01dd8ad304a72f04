#pragma once
// Messages between the members of a communicator: planned alike by all, then carried out by each.

#include <mpi.h>

#include "dice.h"
#include "groups.h"
#include "layouts.h"

typedef struct {
  int source, target, tag;  ///< ranks of the communicator; source or target may be MPI_PROC_NULL
  const Layout *out, *in;
  int out_count, in_count;  ///< the receiver may have room for more
  uint64_t key;             ///< its bytes are made from this
} Message;

enum { most_messages = 160 };

/// Something under way.
typedef struct {
  int number;              ///< its name in the log
  const Message* message;  ///< NULL where there are no data, and of a wildcard until it is complete
  int receives, wild, cancelled;
  const Layout* in;
  int in_count;
  unsigned char* buffer;
} Pending;

typedef struct {
  MPI_Request handle[2 * most_messages];
  Pending of[2 * most_messages];
  int count;
  const Message* candidate;  ///< what wildcards may meet
  int candidates, me;
  int small;            ///< some are too short to tell by their bytes which they are
  int lasting, nobody;  ///< requests are persistent; some have no peer
} Flight;

/// A number for a request.
int new_request(void);
/// Random messages of a communicator; with `basic` not below 0 all of this basic datatype, and none
/// to or from MPI_PROC_NULL.
int plan_messages(Dice* dice, const Group* on, int most, int basic, Message* message);

/// A new buffer with what is sent, and one for what is received.
unsigned char* filled(const Message* message);
unsigned char* emptied(const Layout* in, int count);
void fill(const Message* message, unsigned char* buffer);
void empty(const Layout* in, int count, unsigned char* buffer);
/// The bytes that came are those of the message, and no others have changed.
void check_received(const Message* message, const Layout* in, int count,
                    const unsigned char* buffer);
/// The status, if there is one, tells of this message.
void check_status(const Message* message, const Layout* in, const MPI_Status* status);
/// Which of the candidates has arrived.
const Message* met(const Message* candidate, int candidates, int target, const MPI_Status* status,
                   const Layout* in, const unsigned char* buffer);

/// Starts with nothing.
void board(Flight* flight, const Group* on, const Message* candidate, int candidates);
/// One more, to be described; its handle is that of the same place.
Pending* take_off(Flight* flight);
/// Completes all by a random way, and checks what came.
void land(Dice* dice, Flight* flight);
/// Frees the buffers.
void leave(Flight* flight);

// Kinds of exchanges.
void exchange_in_ring(const Group* on);
void nonblocking(Dice* dice, const Group* on);
void blocking(Dice* dice, const Group* on);
void wildcards(Dice* dice, const Group* on);
void shifts(Dice* dice, const Group* on);
void persistent(Dice* dice, const Group* on);
void partitioned(Dice* dice, const Group* on);
