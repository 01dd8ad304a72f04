// Communicators: the value of an MPI_Comm as an integer, whether that is one or a pointer.

#include "converted.hpp"

#include <halocline/more/mpi.hpp>

namespace halocline::c {

MPI_Comm comm_of(halocline_comm comm) noexcept {
  return (MPI_Comm)comm;  // NOLINT: an integer with some MPIs, a pointer with others
}
halocline_comm comm_of(MPI_Comm comm) noexcept {
  return (halocline_comm)comm;  // NOLINT
}

}  // namespace halocline::c

using namespace halocline;
using c::give;

namespace {

#ifdef MPI_ABI_VERSION  // where Fortran's handles are these
MPI_Comm comm_of_fortran(int comm) {
  return MPI_Comm_fromint(comm);
}
int fortran_of(MPI_Comm comm) {
  return MPI_Comm_toint(comm);
}
#else
MPI_Comm comm_of_fortran(int comm) {
  return MPI_Comm_f2c(comm);
}
int fortran_of(MPI_Comm comm) {
  return MPI_Comm_c2f(comm);
}
#endif

}  // namespace

int halocline_world(halocline_comm* comm) {
  return give(__func__, comm, "comm", [] { return c::comm_of(world()); });
}

int halocline_comm_f2c(int fortran, halocline_comm* comm) {
  return give(__func__, comm, "comm", [&] { return c::comm_of(comm_of_fortran(fortran)); });
}
int halocline_comm_c2f(halocline_comm comm, int* fortran) {
  return give(__func__, fortran, "fortran", [&] { return fortran_of(c::comm_of(comm)); });
}

int halocline_comm_at(const void* address, halocline_comm* comm) {
  return give(__func__, comm, "comm",
              [&] { return c::comm_of(c::at(static_cast<const MPI_Comm*>(address), "address")); });
}

int halocline_rank(halocline_comm comm, int* rank) {
  return give(__func__, rank, "rank", [&] { return mpi::rank(c::comm_of(comm)); });
}
int halocline_size(halocline_comm comm, int* size) {
  return give(__func__, size, "size", [&] { return mpi::size(c::comm_of(comm)); });
}
