#pragma once
// GASPI beside MPI in one program: whether it can be, its beginning and its end, and its errors.

#include <halocline/more/gaspi.hpp>
#include <halocline/more/waiting.hpp>

#include <string>

#if HALOCLINE_HAVE_GASPI
#include <GASPI.h>
#endif

namespace halocline::detail {

/// Why there is no GASPI here, and what would help; empty if there is.
std::string gaspi_missing();
/// Starts it for the ranks of `comm`: these must be all, unless it runs. Collective; throws the
/// same Error on all of them, naming the scheme.
void start_gaspi(MPI_Comm comm, const std::string& scheme);
/// From its start to its end.
bool gaspi_runs() noexcept;

#if HALOCLINE_HAVE_GASPI

/// What a call of GASPI may take that does not poll.
gaspi_timeout_t gaspi_patience();

/// Throws Error naming the call unless it went well.
void check_gaspi(gaspi_return_t result, const char* call);
#define HALOCLINE_GASPI(call, ...) ::halocline::detail::check_gaspi(call(__VA_ARGS__), #call)

/// Numbers that GASPI is asked for: HALOCLINE_GASPI(gaspi_queue_num, &number).
template <class Number>
Number ask_gaspi(gaspi_return_t (*call)(Number*), const char* name) {
  Number number = 0;
  check_gaspi(call(&number), name);
  return number;
}

#endif

}  // namespace halocline::detail
