#pragma once
// How a destructor ends what it does together with other ranks.

#include <halocline/more/mpi.hpp>

#include <utility>

namespace halocline::mpi {

/// Runs `act`, which waits for other ranks, unless `abandoning()`. True if it has come to its end.
/// What it throws as Error is dropped: then a peer is gone, and whoever waits for that peer says
/// so.
template <class Act>
bool come_to_rest(Act&& act) noexcept {
  if (abandoning()) return false;
  try {
    std::forward<Act>(act)();
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace halocline::mpi
