#pragma once
// GASPI beside MPI in one program: its beginning and its end, and its errors.

#include <GASPI.h>
#include <halocline/halocline.hpp>
#include <halocline/more/method.hpp>
#include <halocline/more/waiting.hpp>

#include <string>

namespace halocline_gaspi {

using namespace halocline;
using namespace halocline::methods;

/// Starts it on all ranks, if it does not run yet, and returns how many seconds that took on this
/// rank (0 if the program itself had started it). Collective over MPI_COMM_WORLD; throws the same
/// Error on all ranks.
double start();
/// The same for an exchange on `comm`: these must be all ranks, unless it runs. Collective; throws
/// the same Error on all of them, naming the scheme.
void start(MPI_Comm comm, const std::string& scheme);
/// From its start to its end.
bool runs() noexcept;

/// What a call of GASPI may take that does not poll.
gaspi_timeout_t patience();

/// Throws Error naming the call unless it went well.
void check(gaspi_return_t result, const char* call);
#define HALOCLINE_GASPI(call, ...) ::halocline_gaspi::check(call(__VA_ARGS__), #call)

/// Numbers that GASPI is asked for: ask(gaspi_queue_num, "gaspi_queue_num").
template <class Number>
Number ask(gaspi_return_t (*call)(Number*), const char* name) {
  Number number = 0;
  check(call(&number), name);
  return number;
}

}  // namespace halocline_gaspi
