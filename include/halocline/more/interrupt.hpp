#pragma once
// Interrupting: what a language around the library does while its thread waits.

#pragma GCC visibility push(default)

namespace halocline {

/// From here on waits call `look` between polls, as often as they look at the clock, in the thread
/// that waits. It may throw: the wait ends by this exception, and the exchange as one does that a
/// Timeout has left. So Python raises KeyboardInterrupt. It must be quick, and tell for itself
/// whether this thread is one that it looks after. Null: none, which is so at first. Calls into MPI
/// that cannot be polled are not interrupted.
void interrupt_waits_by(void (*look)()) noexcept;

}  // namespace halocline

#pragma GCC visibility pop
