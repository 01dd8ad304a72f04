#pragma once
// The three forms that a collective may have: it blocks, it is started, it lasts.

#include "features.h"

typedef enum { blocks, starts, lasts } How;

#define UNPACKED(...) __VA_ARGS__
#if HAS_LASTING_COLLECTIVES
#define LASTING(name, arguments, ...) \
  CALL(name##_init, (UNPACKED arguments, on->comm, MPI_INFO_NULL, &request), __VA_ARGS__)
enum { forms = 3 };
#else
#define LASTING(name, arguments, ...)
enum { forms = 2 };
#endif

/// Calls one of them on the communicator of `on`, with these arguments before it; the rest is
/// logged.
#define EACH_WAY(how, name, started, arguments, ...)                           \
  do {                                                                         \
    MPI_Request request = MPI_REQUEST_NULL;                                    \
    const int number = new_request();                                          \
    if (how == blocks) {                                                       \
      CALL(name, (UNPACKED arguments, on->comm), __VA_ARGS__);                 \
    } else {                                                                   \
      request_follows(number);                                                 \
      if (how == starts) {                                                     \
        CALL(started, (UNPACKED arguments, on->comm, &request), __VA_ARGS__);  \
      } else {                                                                 \
        LASTING(name, arguments, __VA_ARGS__);                                 \
        CALL(Start, (&request), "requests=1 start=%d", number);                \
      }                                                                        \
      CALL(Wait, (&request, MPI_STATUS_IGNORE), "requests=1 done=%d", number); \
      if (how == lasts) CALL(Request_free, (&request), "request=%d", number);  \
    }                                                                          \
  } while (0)
