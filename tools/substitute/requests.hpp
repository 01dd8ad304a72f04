#pragma once
// Requests of the program's that stand for open steps of a Series.
//
// What the program holds is a receive of MPI's, of nothing, on a communicator of this rank alone.
// It is sent once the step is over. So a request is MPI's in all that can be done to it, alone or
// among others, and each function that completes requests, or looks whether they are, first lets
// the open steps go on here. No other function needs to: peers wait for a start alone.
//
// MPI forbids to free or to cancel such a request while its step is open. If a program frees it,
// the step goes on whenever the program completes anything, and at the latest when MPI ends.

#include "die.hpp"
#include "series.hpp"

#include <halocline/more/waiting.hpp>

#include <mutex>
#include <span>
#include <unordered_map>

namespace substitute {

class Requests {
 public:
  /// Once, within MPI_Init and in MPI_Finalize.
  static void begin();
  static void end();

  /// Whether anything is open: whether there is anything to ask of the functions below.
  static bool any();

  /// A nonblocking call: `native(request)` makes it.
  template <class Native, class Fill>
  static int start(const char* name, MPI_Comm comm, MPI_Request* request, Native&& native,
                   Fill&& fill);
  /// A call that makes a persistent request.
  template <class Native, class Fill>
  static int init(const char* name, MPI_Comm comm, MPI_Request* request, Native&& native,
                  Fill&& fill);
  /// Before MPI starts requests: how many of them are none of its own.
  static std::size_t started(std::span<const MPI_Request> requests);

  /// Lets all open steps go on.
  static void go_on();
  /// Whether one of them is open.
  static bool are_open(std::span<const MPI_Request> requests);
  /// Waits until none of them is.
  static void complete(std::span<const MPI_Request> requests);
  /// Lets all open steps go on until `found` is true, which is asked in between.
  template <class Found>
  static void go_on_until(Found&& found);
  /// What went wrong in the step of one that MPI has completed.
  static bool any_error();
  static int error_of(MPI_Request request);

  /// Before the program frees it.
  static void forget(MPI_Request request);
  /// Before the program frees it. Waits until all ranks are through with what has been started on
  /// it here.
  static void forget_comm(MPI_Comm comm);
  /// Whether a datatype that the program frees is still needed; then it is freed later.
  static bool keeps(MPI_Datatype type);

 private:
  struct Persistent {
    std::shared_ptr<Series> series;
    NeighborData data;
    std::vector<MPI_Datatype> types;  // duplicates
    MPI_Request native = MPI_REQUEST_NULL;
    int tag = 0;
  };
  using Lock = std::unique_lock<std::mutex>;

  Lock locked() { return Lock(mutex_); }
  OpenStep& opened(const std::shared_ptr<Series>& series, std::uint64_t number);
  void dismiss(OpenStep& step);
  void go_on_locked();
  void over(OpenStep& step);
  OpenStep* step_of(MPI_Request request);
  int tag();
  int receive_nothing(int tag, bool persistent, MPI_Request* request) const;
  void bury(std::shared_ptr<Series> series);
  void keep_types(Persistent& one);
  static Requests& here();

  std::mutex mutex_;
  MPI_Comm self_ = MPI_COMM_NULL;
  std::vector<std::unique_ptr<OpenStep>> open_, spare_;
  std::vector<int> tags_;
  int next_tag_ = 8;  // beyond halocline::nobodys_tag
  std::unordered_map<MPI_Request, std::shared_ptr<Persistent>> persistent_;
  std::unordered_map<MPI_Request, int> errors_;
  std::vector<std::shared_ptr<Series>> buried_;
  std::vector<MPI_Datatype> kept_;
};

template <class Found>
void Requests::go_on_until(Found&& found) {
  try {
    halocline::Waiting waiting("a neighbourhood collective");
    for (go_on(); !found(); go_on()) {
      // Messages to this rank may be what others wait for.
      if (waiting.polls() % 8 == 7 || waiting.gave_way()) halocline::let_progress(here().self_);
      waiting.again();
    }
  } catch (const std::exception& problem) {
    die(problem);
  }
}

template <class Native, class Fill>
int Requests::start(const char* name, MPI_Comm comm, MPI_Request* request, Native&& native,
                    Fill&& fill) {
  Requests& all = here();
  const Lock lock = all.locked();
  try {
    const std::shared_ptr<Series> series = Series::of(comm);
    if (series == nullptr) return native(request);
    const std::uint64_t number = series->count(name);
    if (!series->is_watched(number)) {
      const int code = native(request);
      series->after_native_start(number);
      return code;
    }
    OpenStep& step = all.opened(series, number);
    fill(series->neighbors(), step.data);
    if (step.by_native)
      if (const int code = native(&step.native); code != MPI_SUCCESS) {
        all.dismiss(step);
        return code;
      }
    series->send(step);
    step.tag = all.tag();
    const int code = all.receive_nothing(step.tag, false, request);
    step.request = *request;
    return code;
  } catch (const std::exception& problem) {
    die(problem);
  }
}

template <class Native, class Fill>
int Requests::init(const char* name, MPI_Comm comm, MPI_Request* request, Native&& native,
                   Fill&& fill) {
  Requests& all = here();
  auto made = std::make_shared<Persistent>();
  try {
    {
      const Lock lock = all.locked();
      made->series = Series::of_persistent(comm, name);
    }
    if (made->series == nullptr) return native(request);
    // All ranks may have to come to this before it returns: others of this rank's threads go on.
    if (const int code = native(&made->native); code != MPI_SUCCESS) return code;
    const Lock lock = all.locked();
    made->data.out.resize(made->series->neighbors().out.size());
    made->data.in.resize(made->series->neighbors().in.size());
    fill(made->series->neighbors(), made->data);
    all.keep_types(*made);
    made->tag = all.tag();
    const int code = all.receive_nothing(made->tag, true, request);
    all.persistent_[*request] = made;
    return code;
  } catch (const std::exception& problem) {
    die(problem);
  }
}

}  // namespace substitute
