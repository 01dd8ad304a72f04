#pragma once
// What the library itself does with methods (halocline/method.hpp).

#include "comm_context.hpp"
#include "layout.hpp"

#include <halocline/method.hpp>

namespace halocline::detail {

/// The place of these links in the trace's table of exchanges; see trace::detail::describe.
/// Collective.
std::uint16_t traced_as(const Scheme& scheme, MPI_Comm comm, const Pattern& pattern,
                        std::size_t element_bytes);

using mpi::abandoning;

/// Whether waiting in a blocking call of any of these ranks could keep a core from another rank.
/// Collective; the same on all.
bool oversubscribed(MPI_Comm comm);

/// Ends a method, or frames. In the middle of a step peers may still use what it has: then that is
/// left as it is.
template <class Stepped>
void end(std::unique_ptr<Stepped>& one) {
  const mpi::Abandoning unfinished(one && one->step.under_way());
  one.reset();
}

}  // namespace halocline::detail
