#pragma once
// Calls that may wait: meanwhile other threads of Python run, and Ctrl-C ends the wait.

#include <nanobind/nanobind.h>

#include <atomic>

namespace halocline::python {

namespace nb = nanobind;

/// While one lives, this thread lets others of Python run. A signal that Python has a handler for
/// ends a wait of the library by the handler's exception.
class Waits {
 public:
  Waits() noexcept { ++waiting; }
  ~Waits() { --waiting; }
  Waits(const Waits&) = delete;
  Waits& operator=(const Waits&) = delete;

 private:
  friend void look_for_signals();
  static thread_local int waiting;
  nb::gil_scoped_release released_;
};

/// Between polls of a wait (interrupt_waits_by).
void look_for_signals();

/// Throws Error unless MPI runs: not before it begins, nor after its end.
void expect_mpi();

/// The turn of the one thread that may use an object now; all of Python's threads may ask for it.
class Turn {
 public:
  /// Throws Error if another thread has it.
  explicit Turn(std::atomic<bool>& taken);
  ~Turn() { taken_.store(false, std::memory_order_release); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::atomic<bool>& taken_;
};

/// A turn with what takes messages: throws Error, too, unless MPI runs.
class MpiTurn : public Turn {
 public:
  explicit MpiTurn(std::atomic<bool>& taken) : Turn(taken) { expect_mpi(); }
};

}  // namespace halocline::python
