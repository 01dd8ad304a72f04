#pragma once
// Waiting: poll for a while, then give the core away between polls, and give up after a time limit
// if whoever owns the process has set one (Patience).

#include <halocline/more/mpi.hpp>
#include <halocline/wait.hpp>

#include <atomic>
#include <chrono>
#include <span>

#pragma GCC visibility push(default)

namespace halocline {

/// Random pauses of up to `longest` at the points where a race would show; off by default.
/// Tests and the doctor turn it on (also by HALOCLINE_DELAY_US in the environment).
void inject_delays(std::chrono::microseconds longest, unsigned seed);
namespace detail {
extern std::atomic<bool> delays_on;
void pause_at_random();
}  // namespace detail
inline void maybe_delay() {
  if (detail::delays_on.load(std::memory_order_relaxed)) detail::pause_at_random();
}

/// While one lives, waits of this thread give the core away, if `really`: there are others for
/// which it is, such as threads that compute.
class Yielding {
 public:
  explicit Yielding(bool really) noexcept;
  ~Yielding();
  Yielding(const Yielding&) = delete;
  Yielding& operator=(const Yielding&) = delete;

 private:
  bool really_;
};

/// Lets the MPI library make progress without completing anything. `comm`: one on which no message
/// has the tag `nobodys_tag`, as on all of Halocline's own.
void let_progress(MPI_Comm comm);
inline constexpr int nobodys_tag = 7;

/// Watches one wait: call `again()` between polls; it gives the core away once the wait is long,
/// and throws Timeout in the end.
class Waiting {
 public:
  /// `what` names scheme and purpose for the message, e.g. "rma:put:flush: arrival of halos".
  explicit Waiting(const char* what) noexcept
      : what_(what), rest_(Patience::current().crowded() ? crowded : polling) {}
  void again() {
    if ((++polls_ & rest_) == 0) slow();
    if (polls_ < eager) return;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
  /// The same where memory is polled that other ranks write. Now and then it lets MPI progress, on
  /// `comm` as let_progress, since they may need that to get there.
  void again(MPI_Comm comm) {
    again();
    if (polls_ % 256 == 0 || gave_way()) let_progress(comm);
  }
  /// So far.
  unsigned polls() const noexcept {
    return polls_;
  }
  /// The last `again()` has given the core away: the next one may take long to come back.
  bool gave_way() const noexcept {
    return rest_ < polling && (polls_ & rest_) == 0;
  }

 private:
  /// Polls without a pause in between: a line from a core nearby comes sooner than a pause ends.
  static constexpr unsigned eager = 32;
  /// After so many polls less one it looks at the clock, or gives the core away.
  static constexpr unsigned polling = 63, crowded = 7, giving_way = 0;
  void slow();
  const char* what_;
  unsigned rest_;
  unsigned polls_ = 0;
  /// Its first look at the clock, and from when the limit counts.
  std::chrono::steady_clock::time_point began_{}, since_{};
};

/// Polls `done()` until it is true.
template <class Done>
void wait_until(const char* what, Done&& done) {
  Waiting waiting(what);
  while (!done()) waiting.again();
}

/// Completes all requests by polling.
void wait_all(const char* what, std::span<MPI_Request> requests);
void wait_one(const char* what, MPI_Request& request);
/// Completes one request and returns its index; MPI_UNDEFINED when none is active.
int wait_any(const char* what, std::span<MPI_Request> requests,
             MPI_Status* status = MPI_STATUS_IGNORE);
/// Marks a call into MPI that cannot be polled (a fence, a lock, a blocking collective). If it
/// takes longer than the time limit, `Patience::stuck` is called with a message naming `what`, or
/// what a Blocking around this one in the same thread names. HALOCLINE_MPI does so itself, with the
/// function's name.
class Blocking {
 public:
  explicit Blocking(const char* what) noexcept : watched_(delayed(what)) {}

 private:
  static const char* delayed(const char* what) {
    maybe_delay();
    return what;
  }
  mpi::detail::Meeting<true> watched_;
};

}  // namespace halocline

#pragma GCC visibility pop
