#pragma once
// What communicators hold for the library, by keys of its own.

#include <halocline/more/mpi.hpp>

namespace halocline::mpi {

/// A key, for a static: nobody frees it. What is held does not pass to duplicates; `end` is called
/// with it when its communicator is freed.
inline int comm_key(MPI_Comm_delete_attr_function* end) {
  int key = MPI_KEYVAL_INVALID;
  HALOCLINE_MPI(MPI_Comm_create_keyval, MPI_COMM_NULL_COPY_FN, end, &key, nullptr);
  return key;
}

/// What `comm` holds by this key; null if nothing.
template <class T>
T* held_by(MPI_Comm comm, int key) {
  T* held = nullptr;
  int found = 0;
  HALOCLINE_MPI(MPI_Comm_get_attr, comm, key, &held, &found);
  return found != 0 ? held : nullptr;
}

}  // namespace halocline::mpi
