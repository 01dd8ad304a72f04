#pragma once
// What the program has in its hands: requests, each of one message or of several (a message in
// partitions, a neighbourhood collective). The handles are MPI's own, of persistent receives that
// are never started, so no other request has the same.

#include "messages.hpp"

namespace emulated {

class Request {
 public:
  Request(std::vector<Call> calls, bool persistent);

  void start();
  bool active() const { return !messages_.empty() || pending_empty_; }
  bool complete() const;
  /// It is not active any more.
  int finish(MPI_Status* status);
  void cancel();
  bool persistent() const { return persistent_; }

  /// Partitions, of a message in several.
  void make_ready(int first, int last);
  bool arrived(int partition) const;

  /// Makes one, started unless it is persistent, and gives the program a handle of it.
  static void make(std::vector<Call> calls, bool persistent, MPI_Request* handle);
  /// Null: a request of MPI's own.
  static Request* of(MPI_Request handle);
  static void forget(MPI_Request* handle);

 private:
  std::vector<Call> calls_;
  bool persistent_;
  bool pending_empty_ = false;    // started, of no message at all
  std::vector<Shared> messages_;  // of this start
};

}  // namespace emulated
