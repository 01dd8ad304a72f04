// One call of the program, from its entry to its return: what the wrappers are made of.
#pragma once

#include "recording.hpp"

namespace recorder {

class Call {
 public:
  // False afterwards: nothing is recorded, the call is only handed on.
  Call(Function function, void* caller, void* frame) {
    if (depth++ != 0 || !recording) return;
    begin(function, caller, static_cast<void**>(frame));
  }
  ~Call() {
    --depth;
    if (__builtin_expect(looked_at_ != 0, false)) end_look();
    if (thread_ && recording_ && recording_->several_threads) pthread_mutex_unlock(&turn);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  explicit operator bool() const { return thread_ != nullptr; }

  // What it is called with.
  void on(MPI_Comm comm) {
    comm_ = recording_->communicators.number(comm);
    if (comm_ >= 0) signature_.comm = comm_;
  }
  void peer(int rank) {
    rank_ = rank;
    signature_.peer = relative(rank);
  }
  void tag(int tag) {
    tag_ = tag;
    signature_.tag = tag == MPI_ANY_TAG ? kAny : tag;
  }
  void data(std::int64_t count, MPI_Datatype type) {
    signature_.layout = recording_->layouts.number(type);
    signature_.count = count;
  }
  void data(std::int64_t count) { signature_.count = count; }
  void layout(std::int32_t layout) { signature_.layout = layout; }
  void partitions(int count) { signature_.partitions = count; }
  void other_peer(int rank) {
    other_rank_ = rank;
    signature_.other_peer = relative(rank);
  }
  void other_tag(int tag) {
    other_tag_ = tag;
    signature_.other_tag = tag == MPI_ANY_TAG ? kAny : tag;
  }
  void other_data(std::int64_t count, MPI_Datatype type) {
    signature_.other_layout = recording_->layouts.number(type);
    signature_.other_count = count;
  }
  void root(int rank) { signature_.root = rank; }
  void window(MPI_Win window) {
    window_ = recording_->windows.number(window);
    if (window_ < 0) return;
    signature_.window = window_;
    comm_ = recording_->windows[window_].comm;
  }
  void operation(MPI_Op op);
  void requests(std::int64_t count) { signature_.requests = static_cast<std::int32_t>(count); }
  // What a wildcard met.
  void found(const MPI_Status& status) {
    if (signature_.peer != kAny && signature_.tag != kAny && signature_.other_peer != kAny &&
        signature_.other_tag != kAny) {
      return;
    }
    signature_.found_peer = relative(status.MPI_SOURCE);
    signature_.found_tag = status.MPI_TAG;
  }

  // A collective of two groups.
  bool between() const { return comm_ >= 0 && communicator().remote_size > 0; }
  // A message that has been probed, with what it was looked for.
  void message(const Probed::Found& found) {
    comm_ = found.comm;
    if (comm_ >= 0) signature_.comm = comm_;
    peer(found.source);
    tag(found.tag);
    thread_->found = found;
    matched_ = &thread_->found;
  }

  // The call itself is between these.
  void enter() {
    if (__builtin_expect(own_time != 0, false)) {
      thread_->left += own_time;
      thread_->own += own_time;
      own_time = 0;
      looked_at_ = 0;  // that comes once
    }
    if (recording_->several_threads) pthread_mutex_unlock(&turn);
    entered_ = now();
    thread_->call = this;
  }
  void leave() {
    thread_->call = nullptr;
    left_ = now();
    if (recording_->several_threads) pthread_mutex_lock(&turn);
  }
  // Puts it into the sums; it has a number from here on. What ends a row of blocking messages...
  void count() {
    sum();
    if (thread_->episode->lingering()) thread_->episode->close();
  }
  // ... and what may go on with it.
  void count_message() { sum(); }

  // What the recorder makes of it.
  Function function() const { return static_cast<Function>(signature_.function); }
  const Signature& signature() const { return signature_; }
  std::int32_t comm() const { return comm_; }
  std::int32_t win() const { return window_; }
  int rank() const { return rank_; }
  int other_rank() const { return other_rank_; }
  int tag() const { return tag_; }
  // What a probe had found for it; null: nothing.
  const Probed::Found* matched() const { return matched_; }
  int other_tag() const { return other_tag_; }
  std::uint32_t number() const { return number_; }
  Ticks entered() const { return entered_; }
  Ticks left() const { return left_; }
  Ticks time() const { return left_ - entered_; }
  // What the recorder takes for itself in a call like this one.
  Ticks own() const { return recording_->calls[number_].own; }
  Thread& thread() const { return *thread_; }
  Communicator& communicator() const { return recording_->communicators[comm_]; }
  std::int32_t world(int rank) const {
    return comm_ < 0 ? -1 : recording_->communicators.world_rank(communicator(), rank);
  }
  // Computing since the last call.
  Ticks gap() const { return gap_; }
  Recording& run() const { return *recording_; }

 private:
  void begin(Function function, void* caller, void** frame);
  void sum();
  void begin_look();
  void end_look();
  std::int32_t relative(int rank) const {
    if (rank == MPI_PROC_NULL) return kNull;
    if (rank == MPI_ANY_SOURCE) return kAny;
    return comm_ < 0 ? rank : rank - communicator().rank;
  }

  Recording* recording_ = nullptr;
  Thread* thread_ = nullptr;
  Signature signature_;
  const Probed::Found* matched_ = nullptr;
  std::int32_t comm_ = -1;
  std::int32_t window_ = -1;
  int rank_ = 0, other_rank_ = 0, tag_ = 0, other_tag_ = 0;
  std::uint32_t number_ = 0;
  Ticks entered_ = 0, left_ = 0, gap_ = 0;
  Ticks looked_at_ = 0;  // when it began, if that is looked at
};

// Counts as int or as MPI_Count, whichever the function has.
class Counts {
 public:
  Counts(const int* counts) : small_(counts) {}
  // MPI_Count is one of these, by the processor and the MPI.
  Counts(const long* counts) : large_(reinterpret_cast<const std::int64_t*>(counts)) {}
  Counts(const long long* counts) : large_(reinterpret_cast<const std::int64_t*>(counts)) {}
  std::int64_t operator[](std::int32_t at) const { return small_ ? small_[at] : large_[at]; }
  explicit operator bool() const { return small_ || large_; }

 private:
  const int* small_ = nullptr;
  const std::int64_t* large_ = nullptr;
};

}  // namespace recorder
