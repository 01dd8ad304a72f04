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

SUBSTITUTE_EXPORT int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const MPI_Request one = *request;
  return completes({&one, 1}, [&] { return with_error_of(one, PMPI(Wait)(request, status)); });
}

SUBSTITUTE_EXPORT int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  return completes(span_of(count, requests),
                   [&] { return PMPI(Waitall)(count, requests, statuses); });
}

SUBSTITUTE_EXPORT int MPI_Waitany(int count, MPI_Request requests[], int* index,
                                  MPI_Status* status) {
  return completes_some(
      span_of(count, requests), [&] { return PMPI(Waitany)(count, requests, index, status); },
      [&](bool& found) {
        int flag = 0;
        const int result = PMPI(Testany)(count, requests, index, &flag, status);
        found = flag != 0;
        return result;
      });
}

SUBSTITUTE_EXPORT int MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[],
                                   MPI_Status statuses[]) {
  return completes_some(
      span_of(count, requests),
      [&] { return PMPI(Waitsome)(count, requests, done, indices, statuses); },
      [&](bool& found) {
        const int result = PMPI(Testsome)(count, requests, done, indices, statuses);
        found = *done != 0;
        return result;
      });
}

SUBSTITUTE_EXPORT int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const MPI_Request one = *request;
  return looks([&] {
    const int result = PMPI(Test)(request, flag, status);
    return *flag ? with_error_of(one, result) : result;
  });
}

SUBSTITUTE_EXPORT int MPI_Testall(int count, MPI_Request requests[], int* flag,
                                  MPI_Status statuses[]) {
  return looks([&] { return PMPI(Testall)(count, requests, flag, statuses); });
}

SUBSTITUTE_EXPORT int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag,
                                  MPI_Status* status) {
  return looks([&] { return PMPI(Testany)(count, requests, index, flag, status); });
}

SUBSTITUTE_EXPORT int MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[],
                                   MPI_Status statuses[]) {
  return looks([&] { return PMPI(Testsome)(count, requests, done, indices, statuses); });
}

SUBSTITUTE_EXPORT int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  return looks([&] { return PMPI(Request_get_status)(request, flag, status); });
}

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
SUBSTITUTE_EXPORT int MPI_Request_get_status_all(int count, const MPI_Request requests[], int* flag,
                                                 MPI_Status statuses[]) {
  return looks([&] { return PMPI(Request_get_status_all)(count, requests, flag, statuses); });
}

SUBSTITUTE_EXPORT int MPI_Request_get_status_any(int count, const MPI_Request requests[],
                                                 int* index, int* flag, MPI_Status* status) {
  return looks([&] { return PMPI(Request_get_status_any)(count, requests, index, flag, status); });
}

SUBSTITUTE_EXPORT int MPI_Request_get_status_some(int count, const MPI_Request requests[],
                                                  int* done, int indices[], MPI_Status statuses[]) {
  return looks(
      [&] { return PMPI(Request_get_status_some)(count, requests, done, indices, statuses); });
}
#endif

SUBSTITUTE_EXPORT int MPI_Request_free(MPI_Request* request) {
  const bool outside = Inside::is_outside();
  const Inside inside;
  if (outside && Requests::any()) {
    Requests::go_on();
    Requests::forget(*request);
  }
  return PMPI(Request_free)(request);
}

SUBSTITUTE_EXPORT int MPI_Cancel(MPI_Request* request) {
  const bool outside = Inside::is_outside();
  const Inside inside;
  if (outside && Requests::any() && Requests::are_open({request, 1})) {
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_REQUEST);
    return MPI_ERR_REQUEST;
  }
  return PMPI(Cancel)(request);
}
