#pragma once
// What requests and memory need that are left in the middle (halocline/under_way.hpp).

#include <halocline/more/under_way.hpp>

#include <functional>
#include <memory>

namespace halocline::detail {

using mpi::Pending;
using mpi::UnderWay;

/// Memory that peers may still reach: it stays until the process ends.
void keep(std::shared_ptr<const void> memory);

/// Frees what requests used that have ended since they were left.
void look_after_those_left() noexcept;

/// Calls `act` when MPI_Finalize begins, while everything still works; the last one first.
void at_end_of_mpi(std::function<void()> act);

}  // namespace halocline::detail
