#pragma once
// Waiting: poll, let MPI progress, yield when ranks outnumber cores, and give up after a time limit
// if whoever owns the process has set one.

#include <halocline/mpi.hpp>

#include <atomic>
#include <chrono>
#include <limits>
#include <span>
#include <string>

namespace halocline {

/// Ends this process with a line and a failure; of the ranks of a node one speaks.
void end_process(const char* message) noexcept;

/// How long and how politely this process waits. One per process; it belongs to whoever owns the
/// process, and the library changes nothing but `yield`, and `timeout` if HALOCLINE_TIMEOUT says
/// so. Change it while no thread waits.
struct Patience {
  static constexpr std::chrono::duration<double> forever{std::numeric_limits<double>::infinity()};

  /// Without progress, before Timeout is thrown. By default a wait never ends by itself: a peer may
  /// write a checkpoint for as long as it takes. The first exchange reads HALOCLINE_TIMEOUT
  /// (seconds), unless a limit has been set here.
  std::chrono::duration<double> timeout = forever;
  /// Give the core away between polls. The first exchange on a communicator switches it on if more
  /// of its ranks share this node than have a core each.
  bool yield = false;
  /// What the message of a Timeout says of how to raise the limit.
  const char* remedy = "HALOCLINE_TIMEOUT";
  /// No exception leaves a call into MPI that cannot be polled: those that make communicators and
  /// windows, fences, epochs. If one takes longer than `timeout`, another thread calls this once,
  /// with the message of the Timeout. Null: the call goes on waiting, for a library ends no
  /// process. A program that rather ends takes `end_process`, as `guarded_main` does.
  void (*stuck)(const char* message) noexcept = nullptr;

  static Patience& current() noexcept { return process_; }
  /// Whether this thread is to give its core away while it waits: `yield`, or within a Yielding.
  static bool yields() noexcept;
  /// `yield`, which another thread's first exchange may be switching on.
  bool crowded() noexcept { return std::atomic_ref(yield).load(std::memory_order_relaxed); }
  /// Switches `yield` on if the ranks of `comm` crowd this node, after `heed_environment`. The
  /// first exchange on a communicator does this by itself. Collective.
  static void detect(MPI_Comm comm);
  /// Takes the limit from HALOCLINE_TIMEOUT if there is none. Throws Error if the variable is no
  /// number of seconds above 0.
  static void heed_environment();

 private:
  static Patience process_;
};

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

/// Whether ranks outnumber the cores that they may run on, on this node. Collective.
bool crowded(MPI_Comm comm);

/// If the ranks of `comm` crowd a node: makes MPICH's barriers, reductions and broadcasts of
/// messages, in this process, so that a rank which waits in one gives its core away. Other
/// libraries have no such switch, and nothing happens. It is the application's to make, for the
/// sums of its MPI_Allreduce are then added up in another order and may differ in their last bits;
/// Halocline's exchanges do not need it. Collective over `comm`, which should hold all ranks of the
/// job. Variables of the environment (MPIR_CVAR_ALLREDUCE_DEVICE_COLLECTIVE and its like) come
/// first.
void make_collectives_yield(MPI_Comm comm);

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

/// Watches one wait: call `again()` between polls; it yields, and throws Timeout in the end.
class Waiting {
 public:
  /// `what` names scheme and purpose for the message, e.g. "rma:put:flush: arrival of halos".
  explicit Waiting(const char* what) noexcept
      : what_(what), rest_(Patience::current().crowded() ? 7 : 63) {}
  void again() {
    if ((++polls_ & rest_) == 0) slow();
    if (polls_ < eager) return;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
  /// So far.
  unsigned polls() const noexcept {
    return polls_;
  }

 private:
  /// Polls without a pause in between: a line from a core nearby comes sooner than a pause ends.
  static constexpr unsigned eager = 32;
  void slow();
  const char* what_;
  unsigned rest_;  ///< after each 8 polls it yields, or after 64 it may look at the clock
  unsigned polls_ = 0;
  std::chrono::steady_clock::time_point since_{};
};

/// Polls `done()` until it is true.
template <class Done>
void wait_until(const char* what, Done&& done) {
  Waiting waiting(what);
  while (!done()) waiting.again();
}

/// Completes all requests by polling.
void wait_all(const char* what, std::span<MPI_Request> requests);
void wait(const char* what, MPI_Request& request);
/// Completes one request and returns its index; MPI_UNDEFINED when none is active.
int wait_any(const char* what, std::span<MPI_Request> requests);
/// Lets the MPI library make progress without completing anything. `comm`: one on which no message
/// has the tag `nobodys_tag`, as on all of Halocline's own.
void progress(MPI_Comm comm);
inline constexpr int nobodys_tag = 7;

/// Marks a call into MPI that cannot be polled (a fence, a lock, a blocking collective). If it
/// takes longer than the time limit, `Patience::stuck` is called with a message naming `what`, or
/// what a Blocking around this one in the same thread names. HALOCLINE_MPI does so itself, with the
/// function's name.
class Blocking {
 public:
  explicit Blocking(const char* what) noexcept : watched_((maybe_delay(), what)) {}

 private:
  mpi::detail::Meeting<true> watched_;
};

}  // namespace halocline
