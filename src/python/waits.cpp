#include "waits.hpp"

#include <halocline/error.hpp>
#include <halocline/more/mpi.hpp>

#include <chrono>

namespace halocline::python {

thread_local int Waits::waiting = 0;

void look_for_signals() {
  using Clock = std::chrono::steady_clock;
  thread_local Clock::time_point looked;
  if (Waits::waiting == 0) return;  // a destructor, or a thread of the library's own
  const auto now = Clock::now();
  if (now - looked < std::chrono::milliseconds(50)) return;
  looked = now;
  const nb::gil_scoped_acquire python;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void expect_mpi() {
  if (!mpi::running())
    throw Error(
        "MPI has ended, or has not begun, or is that of the process that this one was forked off: "
        "nothing can be exchanged; call this before MPI.Finalize(), and on ranks alone");
}

Turn::Turn(std::atomic<bool>& taken) : taken_(taken) {
  if (taken_.exchange(true, std::memory_order_acquire))
    throw Error(
        "another thread is using this object; give each thread objects of its own, on a "
        "communicator of its own (comm.Dup())");
}

}  // namespace halocline::python
