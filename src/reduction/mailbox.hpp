#pragma once
// Single values on their way from rank to rank, without anybody waiting.

#include "mpi/under_way.hpp"

#include <halocline/more/waiting.hpp>

#include <deque>
#include <optional>

namespace halocline::detail {

/// Sends values in order; the buffers live until the messages have left, even if this ends first.
class Outbox {
 public:
  Outbox(MPI_Comm comm, int tag) : comm_(comm), tag_(tag) {}

  void send(int to, double value) {
    Pending<double>& message = messages_.emplace_back(value);
    HALOCLINE_MPI(MPI_Isend, &*message, 1, MPI_DOUBLE, to, tag_, comm_, &message.request());
  }

  /// Forgets the messages that have left; true when none remains.
  bool empty() {
    while (!messages_.empty()) {
      int done = 0;
      HALOCLINE_MPI(MPI_Test, &messages_.front().request(), &done, MPI_STATUS_IGNORE);
      if (!done) break;
      messages_.pop_front();
    }
    return messages_.empty();
  }

 private:
  MPI_Comm comm_;
  int tag_;
  std::deque<Pending<double>> messages_;
};

/// The next value from a rank, if it has arrived.
inline std::optional<double> arrived(MPI_Comm comm, int from, int tag) {
  int there = 0;
  HALOCLINE_MPI(MPI_Iprobe, from, tag, comm, &there, MPI_STATUS_IGNORE);
  if (!there) return std::nullopt;
  double value = 0;
  HALOCLINE_MPI(MPI_Recv, &value, 1, MPI_DOUBLE, from, tag, comm, MPI_STATUS_IGNORE);
  return value;
}

}  // namespace halocline::detail
