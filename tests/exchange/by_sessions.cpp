// by_sessions: exchanges in a program that has begun MPI by a session alone: there is neither
// MPI_COMM_WORLD nor MPI_COMM_SELF. Says nothing if all is well.

#include "everything.hpp"

#include <mpi.h>

#include <cstdlib>

using namespace halocline;

namespace {

#if MPI_VERSION >= 4
/// Before MPI begins.
std::string said_of_the_world() {
  try {
    Array<double>(world(), 8);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}
#endif

}  // namespace

int main() {
#if MPI_VERSION < 4
  return 77;
#else
  Expected expect("by_sessions");
  expect(said_of_the_world().starts_with("MPI has not begun"), "the world is not refused");
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "halocline.test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  try {
    exchange_all(comm, expect);
    use_others(comm, expect);
  } catch (const Error& error) {
    expect(false, error.what());
  }
  // All objects have ended; what they shared ends with the communicator.
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
  return expect.wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
#endif
}
