#pragma once
// Messages on their way: each is sent, or its receive posted, some time after the program has said
// so, in an order of the layer's own; only those of one channel never overtake each other.
//
// A message that is eager is copied when the program sends it, and its send is complete at once. Of
// the others the layer reads the buffer as late as it likes, and the send is complete when the
// message has been received. A buffer that receives holds rubbish until the receive completes.

#include <mpi.h>

#include <memory>
#include <mutex>
#include <vector>

namespace emulated {

/// Held in every call: threads of the program may make them at the same time.
using Lock = std::lock_guard<std::recursive_mutex>;
std::recursive_mutex& one_at_a_time();

/// The arguments of a send or receive.
struct Call {
  bool sends;
  void* buffer;
  int count;
  MPI_Datatype type;
  int peer, tag;
  MPI_Comm comm;
  bool synchronous = false;
  bool ready = true;  ///< false: a partition, which goes when the program says so

  /// Whether it belongs to an exchange's step, not to its set-up (exchange/core/comm_context.cpp).
  bool of_step() const { return tag >= 8 && tag % 8 != 7; }
};

class Message {
 public:
  explicit Message(const Call& call);
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  /// From now on the program must leave the buffer alone. A partition's content may still change.
  void post();
  /// It may be sent.
  void make_ready();
  /// Whether the program may be told that it is complete.
  bool complete() const { return state_ == State::complete; }
  /// What the program is told. Checks that it has left the buffer alone, and fills it.
  int finish(MPI_Status* status);
  void cancel();

  const Call& call() const { return call_; }
  bool same_channel(const Message& other) const;

  /// Everything that waits may come a little further; `all`: everything that waits is sent or
  /// posted, for the program goes into a call in which the layer has no say.
  static void progress(bool all = false);
  /// Posts all receives on it: a probe must not see messages that they will take.
  static void post_receives(MPI_Comm comm);

 private:
  enum class State { idle, waiting, on_its_way, complete };
  void issue();
  void look();
  void check_untouched();
  std::vector<char> packed() const;
  void unpack(std::vector<char> bytes) const;
  int size() const;
  static void let_go(bool all, MPI_Comm receives_on);

  Call call_;
  State state_ = State::idle;
  bool eager_ = false;
  unsigned patience_ = 0;     // calls for which it is not sent, or its receive not posted
  bool late_ = false;         // a fault: it does not go before its buffer is used again
  std::vector<char> bytes_;   // on their way
  std::vector<char> before_;  // the buffer's at the beginning: sent, or to be restored
  std::vector<char> now_;     // what the buffer must still hold when it completes
  MPI_Request request_ = MPI_REQUEST_NULL;
  MPI_Status status_{};
  int error_ = MPI_SUCCESS;
  bool cancelled_ = false;
};

using Shared = std::shared_ptr<Message>;
/// Posts it, and keeps it until it is over.
void post(const Shared& message);

}  // namespace emulated
