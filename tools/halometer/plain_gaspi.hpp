#pragma once
// What GASPI itself takes there and back, which the scheme gaspi cannot undercut.

#include "work.hpp"

#include <mpi.h>

namespace halometer {

inline constexpr const char* plain_gaspi = "limit:gaspi";

/// gaspi_write_notify and gaspi_notify_waitsome between the first two ranks, and nothing else.
/// Throws halocline::Error where there is no GASPI. Collective.
std::unique_ptr<Work> make_plain_gaspi(MPI_Comm comm, std::size_t bytes);

}  // namespace halometer
