#pragma once
// What MPI and Halocline share between processes lies in /dev/shm, which may be small (64 MB in a
// container). More than it has is not refused there: the first touch ends the process.

#include <halocline/more/mpi.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace halocline::detail {

/// Why memory of so many bytes of each rank, shared on each node, would not fit into /dev/shm;
/// empty on all ranks if it does everywhere. Collective.
std::string lack_of_shared_room(MPI_Comm comm, std::size_t bytes);

/// Ends the note of who goes on without it.
inline constexpr std::string_view using_plain = "; using plain memory";
/// What the user can do.
inline constexpr std::string_view more_room =
    "make /dev/shm larger (of a container: --shm-size), or take a p2p scheme";

/// MPI_Win_allocate, for which MPI takes shared memory on each node. Throws the same Error on all
/// ranks, from `who` to `way_on`, where there is too little. Collective.
void allocate_window(const std::string& who, MPI_Comm comm, std::size_t bytes, int unit,
                     MPI_Info hints, void* base, MPI_Win* window,
                     std::string_view way_on = more_room);

}  // namespace halocline::detail
