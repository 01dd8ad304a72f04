// Persistent sends and receives, and loops of MPI_Isend and MPI_Irecv: counted, and left to MPI.
//
// They promise to repeat, but no sound way is known to carry them otherwise.
//
//   - MPI_Start is local. A rank may start a part of a set, or other messages first, and wait for
//     these; natively each message arrives for itself. So no exchange of a whole set may be begun
//     and waited for in its place, whatever was agreed on before: each message must travel alone.
//   - Then a message that went by memory and one that MPI has carried are in no order to each
//   other.
//     A receiver that waits for one envelope can look at both ways. But MPI_Recv, MPI_Irecv and
//     MPI_Probe with MPI_ANY_TAG must find a sender's messages in the order in which it sent them,
//     on that communicator whatever their tags. A program may call them at any time, also for the
//     first time when messages have gone the other way and wait to be received. Handing back comes
//     too late for those: they cannot be given to MPI again, for the receiver is not their sender,
//     and the sender may be anywhere.
//   - To know that order, all sends and receives of the communicator would have to be numbered and
//     matched here, from the first one on: MPI's matching once more, with cancelled, probed,
//     matched and synchronous messages in it.
//
// Persistent and nonblocking neighbourhood collectives have no such order: series.hpp.

#include "left.hpp"
#include "report.hpp"
#include "requests.hpp"
#include "wrappers.hpp"

#include <atomic>

namespace {

using substitute::Inside;

std::atomic<std::uint64_t> started{0}, sent{0};

void report_left(const std::atomic<std::uint64_t>& count, const char* what) {
  if (count == 0) return;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto entry = substitute::reported(substitute::Kind::persistent, what, rank == 0);
  entry->steps = count;
  entry->why = substitute::Why::left_to_mpi;
}

}  // namespace

void substitute::report_what_is_left() {
  report_left(started, "MPI_Start and MPI_Startall");
  if (Settings::get().loops) report_left(sent, "MPI_Isend");
}

SUBSTITUTE(Start) {
  const bool outside = Inside::is_outside();
  const Inside inside;
  if (outside && substitute::Requests::started({request, 1}) > 0) ++started;
  return BEHIND(Start);
}

SUBSTITUTE(Startall) {
  const bool outside = Inside::is_outside();
  const Inside inside;
  const std::size_t all = count > 0 ? static_cast<std::size_t>(count) : 0;
  if (outside && substitute::Requests::started({array_of_requests, all}) > 0) ++started;
  return BEHIND(Startall);
}

SUBSTITUTE(Isend) {
  if (Inside::is_outside()) ++sent;
  const Inside inside;
  return BEHIND(Isend);
}
