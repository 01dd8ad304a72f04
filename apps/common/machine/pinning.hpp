#pragma once
// Threads on cores of their own, and near the other threads of their rank.

#include "placement.hpp"

#include <halocline/grid.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/more/processor.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace machine {

/// Where this rank and its threads run.
struct Pinning {
  Cpus allowed = halocline::bound_cores();           ///< this rank's CPUs, before it pinned any
  std::vector<Cpus> threads{};                       ///< each thread's CPUs; empty: not pinned
  std::string why_not = "the program does not pin";  ///< unless it did
};

enum class Pin { automatic, off };

/// Pins the calling thread and the other OpenMP threads of a team of `threads`, as share_out
/// decides; programs without OpenMP pass 1. The user's own choice (OMP_PROC_BIND and the like, or
/// Pin::off) is left alone. Where a launcher bound a rank to too few CPUs, the lowest such rank
/// says so on stderr after `program`. Collective.
Pinning place_threads(MPI_Comm comm, int threads, Pin wish, std::string_view program);

}  // namespace machine
