#pragma once
// What the library itself does with methods (halocline/method.hpp).

#include "comm_context.hpp"
#include "layout.hpp"
#include "mpi/made_together.hpp"

#include <halocline/more/method.hpp>

namespace halocline::detail {

/// The place of these links in the trace's table of exchanges; see trace::detail::describe.
/// Collective.
std::uint16_t traced_as(const Setup& setup, MPI_Comm comm);

using mpi::abandoning;

/// "rank 3", "ranks 1, 2": of the communicator, as MPI_COMM_WORLD numbers them if there is one.
std::string ranks_text(MPI_Comm comm, std::vector<int> ranks);
/// "p2p:nonblocking: a step with ranks 1, 2": what the waits of a method wait for.
std::string step_with_peers(const Setup& setup);

/// A message from `peer` is not as long as both ends must have it.
[[noreturn]] void refuse_length(const Setup& setup, int peer, std::size_t expected,
                                std::size_t sent);
/// The same where only that it is longer is known.
[[noreturn]] void refuse_long_message(const Setup& setup);

/// Runs a part of a step. A Timeout names the peers that have not come, if the method knows.
template <class Part>
void naming_awaited(const Method& method, Part&& part) {
  try {
    part();
  } catch (const Timeout& timeout) {
    const std::vector<int> peers = method.awaited();
    if (peers.empty()) throw;
    throw Timeout(std::string(timeout.what()) +
                  "; still awaited: " + ranks_text(method.setup().comm, peers));
  }
}

/// Whether waiting in a blocking call of any of these ranks could keep a core from another rank.
/// Collective; the same on all.
bool oversubscribed(MPI_Comm comm);

/// A method, or frames, as one caller has it on each rank: where a rank alone cannot end it, it
/// stays until all have let go of it. Collective.
template <class Stepped>
std::shared_ptr<Stepped> ended_as_it_must(std::shared_ptr<Stepped> one) {
  if (one->ends_alone()) return one;
  const MPI_Comm comm = one->setup().comm;
  return mpi::ended_together(comm, std::move(one));
}

/// Lets go of one. In the middle of a step peers may still use what it has: then that is left as it
/// is.
template <class Stepped>
void end(std::shared_ptr<Stepped>& one) {
  if (!one) return;
  const bool in_the_middle = one->step.under_way();
  if (in_the_middle) one->setup().comm.keep();
  one->leave();
  const mpi::Abandoning unfinished(in_the_middle);
  one.reset();
}

}  // namespace halocline::detail
