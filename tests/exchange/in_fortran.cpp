// The C++ of in_fortran.f90. A communicator of Fortran is an integer.

#include "everything.hpp"

extern "C" int world_of_fortran() {
  return MPI_Comm_c2f(MPI_COMM_WORLD);
}

extern "C" int exchange_for_fortran(int comm) {
  Expected expect("in_fortran");
  try {
    exchange_all(MPI_Comm_f2c(comm), expect);
    use_others(MPI_Comm_f2c(comm), expect);
  } catch (const halocline::Error& error) {
    expect(false, error.what());
  }
  return expect.wrong;
}
