#pragma once
// How long this process waits, and how politely.

#include <mpi.h>

#include <chrono>
#include <limits>

#pragma GCC visibility push(default)

namespace halocline {

/// Ends this process with a line and a failure; of the ranks of a node one speaks.
void end_process(const char* message) noexcept;

/// How long and how politely this process waits. One per process; it belongs to whoever owns the
/// process, and the library changes nothing but `yield`, and what HALOCLINE_TIMEOUT and
/// HALOCLINE_SPIN_US say. Change it while no thread waits.
struct Patience {
  static constexpr std::chrono::duration<double> forever{std::numeric_limits<double>::infinity()};

  /// Without progress, before Timeout is thrown. By default a wait never ends by itself: a peer may
  /// write a checkpoint for as long as it takes. The first exchange reads HALOCLINE_TIMEOUT
  /// (seconds), unless a limit has been set here.
  std::chrono::duration<double> timeout = forever;
  /// Give the core away between polls from the beginning. The first exchange on a communicator
  /// switches it on if more of its ranks share this node than have a core each.
  bool yield = false;
  /// So long a wait polls before it gives the core away between polls: it yields, and where that
  /// shows that others want the core it sleeps, in slices that grow. 0: from the beginning;
  /// `forever`: never. The first exchange reads HALOCLINE_SPIN_US (microseconds), unless this has
  /// been set here.
  std::chrono::duration<double> spin = usual_spin;
  static constexpr std::chrono::duration<double> usual_spin{30e-6};
  /// What the message of a Timeout says of how to raise the limit.
  const char* remedy = "HALOCLINE_TIMEOUT";
  /// No exception leaves a call into MPI that cannot be polled: those that make communicators and
  /// windows, fences, epochs. If one takes longer than `timeout`, another thread calls this once,
  /// with the message of the Timeout. Null: the call goes on waiting, for a library ends no
  /// process. A program that rather ends takes `end_process`, as `guarded_main` does.
  void (*stuck)(const char* message) noexcept = nullptr;

  static Patience& current() noexcept { return process_; }
  /// Whether this thread is to give its core away while it waits: `yield`, or within a Yielding
  /// (more/waiting.hpp).
  static bool yields() noexcept;
  /// `yield`, which another thread's first exchange may be switching on. (Clang's standard library
  /// has std::atomic_ref from version 19 on.)
  bool crowded() const noexcept { return __atomic_load_n(&yield, __ATOMIC_RELAXED); }
  /// Switches `yield` on if the ranks of `comm` crowd this node, after `heed_environment`. The
  /// first exchange on a communicator does this by itself. Collective.
  static void detect(MPI_Comm comm);
  /// Takes `timeout` from HALOCLINE_TIMEOUT and `spin` from HALOCLINE_SPIN_US where they have not
  /// been set. Throws Error if the one is no number of seconds above 0, or the other no whole
  /// number of microseconds.
  static void heed_environment();

 private:
  static Patience process_;
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

}  // namespace halocline

#pragma GCC visibility pop
