#pragma once
// The plain log: what this rank calls, written by the program itself, a line for each call.
//
//     MPI_Isend 12.3 12.4 comm=c3 peer=1 tag=7 count=100 type=t5 request=17
//
// Two times of the monotonic clock, around the call, and its arguments. Lines of other kinds begin
// with a small letter: `comm` and `type` explain the names that calls use. plain_log.py reads it.

void log_open(const char* prefix, int rank);
void log_close(void);
double log_clock(void);
/// Logs a call that has just been made, with what printf makes of the format.
void log_call(const char* function, double before, double after, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
/// The next call that is logged starts this request.
void request_follows(int number);
/// A line of another kind.
void log_fact(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// Calls MPI_`name` with the arguments in parentheses, and logs it with the rest.
#define CALL(name, arguments, ...)                                 \
  do {                                                             \
    const double before_call = log_clock();                        \
    MPI_##name arguments;                                          \
    log_call("MPI_" #name, before_call, log_clock(), __VA_ARGS__); \
  } while (0)

/// Something is wrong with the data: says what, and ends the job.
void wrong(const char* format, ...) __attribute__((format(printf, 1, 2), noreturn));
#define CHECK(holds, ...)             \
  do {                                \
    if (!(holds)) wrong(__VA_ARGS__); \
  } while (0)

/// Gives the core away for a moment: other ranks may need it.
void pause_briefly(void);
