#pragma once
// Communicators that Python hands over: mpi4py's, or MPI_COMM_WORLD of an MPI that begins here.

#include <nanobind/nanobind.h>

#include <mpi.h>

namespace halocline::python {

namespace nb = nanobind;

struct Communicator {
  MPI_Comm comm = MPI_COMM_NULL;
  nb::object given{};  ///< mpi4py's object, or None
  nb::object owner{};  ///< the grid that it is the own communicator of
};

/// mpi4py's communicator; without one (None) MPI_COMM_WORLD: mpi4py's if that has been imported,
/// else of the MPI that this begins with MPI_THREAD_MULTIPLE and ends with the interpreter. Throws
/// Error if it is none, if mpi4py has loaded another MPI than this library, or if the launcher is
/// that of another MPI.
Communicator communicator(nb::handle given);

/// The same communicator as an object of mpi4py; None where mpi4py has not been imported.
nb::object object_of(MPI_Comm comm);

/// The name of an object's type, for errors.
const char* name_of_type(nb::handle object);

/// What stands in for __reduce_ex__.
[[noreturn]] void refuse_pickling(nb::handle self, int protocol);

}  // namespace halocline::python
