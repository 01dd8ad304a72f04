#pragma once
// The trace under way: what its file says of ranks and exchanges, beside the threads' events.

#include "events/buffer.hpp"

#include <halocline/more/global_clock.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/more/trace.hpp>

#include <memory>
#include <string>
#include <vector>

namespace halocline::trace::detail {

/// A time by the clock of events and by the steady clock.
struct Anchor {
  Ticks ticks = 0;
  double seconds = 0;
  static Anchor now();
};

/// What an exchange is, for the file.
struct Described {
  std::uint64_t number;  // the same on all its ranks
  std::string what, waits;
  std::vector<int> ranks;  // of its communicator, in that of the trace; empty: they are the same
  std::vector<Link> sends, receives;
};

/// The trace under way; one in a process.
struct Recorder {
  static Recorder& instance();

  bool described = false;  // whether exchanges describe themselves
  mpi::Comm comm;
  std::unique_ptr<GlobalClock> clock;
  Anchor began;
  std::string job = "{}";
  std::vector<Described> exchanges;
  std::uint32_t numbers_given = 0;
};

}  // namespace halocline::trace::detail
