#include "shared_room.hpp"

#include "base/text.hpp"
#include "mpi/collectives.hpp"

#include <halocline/more/islands.hpp>

#include <sys/statvfs.h>

namespace halocline::detail {

std::string in_gib(double bytes) {
  return base::formatted("%.3g GiB", bytes / (1024.0 * 1024 * 1024));
}

std::string host() {
  char name[MPI_MAX_PROCESSOR_NAME];
  int length = 0;
  HALOCLINE_MPI(MPI_Get_processor_name, name, &length);
  return std::string(name, static_cast<std::size_t>(length));
}

namespace {

/// Bytes of /dev/shm that may be taken. MPI needs some for itself.
double shared_room() {
  struct statvfs facts {};
  if (statvfs("/dev/shm", &facts) != 0) return 1e18;  // unknown: let MPI try
  return 0.95 * static_cast<double>(facts.f_bavail) * static_cast<double>(facts.f_frsize);
}

}  // namespace

std::string lack_of_shared_room(MPI_Comm comm, std::size_t bytes) {
  // Mostly there is plenty, wherever the ranks are.
  const auto least = mpi::agree(
      comm, "", {-static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(shared_room())});
  if (-static_cast<double>(least[0]) * mpi::size(comm) <= static_cast<double>(least[1])) return {};

  const Islands nodes(comm);
  const double needed = mpi::reduced(nodes.island(), static_cast<double>(bytes), MPI_SUM);
  const double there = shared_room();
  const bool fits = mpi::all_of(nodes.island(), needed <= there);
  if (mpi::all_of(comm, fits)) return {};
  if (fits) return "shared memory is short on another node";
  return "shared memory on " + host() + " is short: " + in_gib(needed) + " needed, " +
         in_gib(there) + " free in /dev/shm";
}

}  // namespace halocline::detail
