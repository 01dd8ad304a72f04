// Completing requests, and looking whether they are complete: first what is open goes on.

#include "requests.hpp"
#include "wrappers.hpp"

namespace {

using substitute::Inside;
using substitute::Requests;

std::span<const MPI_Request> span_of(int count, const MPI_Request* requests) {
  if (count <= 0 || requests == nullptr) return {};
  return {requests, static_cast<std::size_t>(count)};
}

/// A call that looks, and waits for nothing.
template <class Native>
int looks(Native&& native) {
  const bool outside = Inside::is_outside();
  const Inside inside;
  if (outside && Requests::any()) Requests::go_on();
  return native();
}

/// A call that completes all of them.
template <class Native>
int completes(std::span<const MPI_Request> requests, Native&& native) {
  const bool outside = Inside::is_outside();
  const Inside inside;
  if (outside && Requests::any()) Requests::complete(requests);
  return native();
}

/// A call that completes some of them: `look(found)` looks whether it has.
template <class Native, class Look>
int completes_some(std::span<const MPI_Request> requests, Native&& native, Look&& look) {
  const bool outside = Inside::is_outside();
  const Inside inside;
  if (!outside || !Requests::any() || !Requests::are_open(requests)) return native();
  bool found = false;
  int result = MPI_SUCCESS;
  Requests::go_on_until([&] {
    result = look(found);
    return found || result != MPI_SUCCESS;
  });
  return result;
}

int with_error_of(MPI_Request request, int result) {
  const int code = Requests::any_error() ? Requests::error_of(request) : MPI_SUCCESS;
  return result == MPI_SUCCESS ? code : result;
}

}  // namespace

SUBSTITUTE(Wait) {
  const MPI_Request one = *request;
  return completes({&one, 1}, [&] { return with_error_of(one, BEHIND(Wait)); });
}

SUBSTITUTE(Waitall) {
  return completes(span_of(count, array_of_requests), [&] { return BEHIND(Waitall); });
}

SUBSTITUTE(Waitany) {
  return completes_some(
      span_of(count, array_of_requests), [&] { return BEHIND(Waitany); },
      [&](bool& found) {
        int flag = 0;
        const int result = PMPI(Testany)(count, array_of_requests, index, &flag, status);
        found = flag != 0;
        return result;
      });
}

SUBSTITUTE(Waitsome) {
  return completes_some(
      span_of(incount, array_of_requests), [&] { return BEHIND(Waitsome); },
      [&](bool& found) {
        const int result = BEHIND(Testsome);
        found = *outcount != 0;
        return result;
      });
}

SUBSTITUTE(Test) {
  const MPI_Request one = *request;
  return looks([&] {
    const int result = BEHIND(Test);
    return *flag ? with_error_of(one, result) : result;
  });
}

#define SUBSTITUTE_LOOKS(name)                  \
  SUBSTITUTE(name) {                            \
    return looks([&] { return BEHIND(name); }); \
  }

SUBSTITUTE_LOOKS(Testall)
SUBSTITUTE_LOOKS(Testany)
SUBSTITUTE_LOOKS(Testsome)
SUBSTITUTE_LOOKS(Request_get_status)
#ifdef HAS_MPI_Request_get_status_all
SUBSTITUTE_LOOKS(Request_get_status_all)
SUBSTITUTE_LOOKS(Request_get_status_any)
SUBSTITUTE_LOOKS(Request_get_status_some)
#endif

SUBSTITUTE(Request_free) {
  const bool outside = Inside::is_outside();
  const Inside inside;
  if (outside && Requests::any()) {
    Requests::go_on();
    Requests::forget(*request);
  }
  return BEHIND(Request_free);
}

SUBSTITUTE(Cancel) {
  const bool outside = Inside::is_outside();
  const Inside inside;
  if (outside && Requests::any() && Requests::are_open({request, 1})) {
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_REQUEST);
    return MPI_ERR_REQUEST;
  }
  return BEHIND(Cancel);
}
