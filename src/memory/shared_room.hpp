#pragma once
// What MPI and Halocline share between processes lies in /dev/shm, which may be small (64 MB in a
// container). More than it has is not refused there: the first touch ends the process.

#include <halocline/more/mpi.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace halocline::detail {

/// Why memory of so many bytes of each rank, shared on each node, would not fit into /dev/shm;
/// empty on all ranks if it does everywhere. What lacks is named by ranks of that node. Collective.
std::string lack_of_shared_room(MPI_Comm comm, std::size_t bytes);

/// Ends the note of who goes on without it.
inline constexpr std::string_view using_plain = "; using plain memory";
/// What the user can do.
inline constexpr std::string_view more_room =
    "make /dev/shm larger (of a container: --shm-size), or take a p2p scheme";

std::string in_gib(double bytes);
std::string host();  ///< this rank's

}  // namespace halocline::detail
