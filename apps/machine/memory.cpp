#include "memory.hpp"

#include <cstdio>
#include <fstream>

namespace machine {

namespace mpi = halocline::mpi;

namespace {

/// What new processes can get without swapping; 0 if unknown.
double available_bytes() {
  std::ifstream info("/proc/meminfo");
  for (std::string line; std::getline(info, line);)
    if (double kib = 0; std::sscanf(line.c_str(), "MemAvailable: %lf kB", &kib) == 1)
      return kib * 1024;
  return 0;
}

std::string host() {
  char name[MPI_MAX_PROCESSOR_NAME];
  int length = 0;
  HALOCLINE_MPI(MPI_Get_processor_name, name, &length);
  return {name, static_cast<std::size_t>(length)};
}

std::string gib(double bytes) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f GiB", bytes / (1 << 30));
  return text;
}

}  // namespace

void check_memory(MPI_Comm comm, double bytes, const std::string& what) {
  MPI_Comm raw = MPI_COMM_NULL;
  HALOCLINE_MPI(MPI_Comm_split_type, comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &raw);
  const mpi::Comm node(raw);
  double needed = bytes;
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &needed, 1, MPI_DOUBLE, MPI_SUM, node);
  const double available = available_bytes();
  mpi::agree(comm, available == 0 || needed <= available
                       ? ""
                       : "out of memory: " + what + " needs " + gib(needed) + " on node " + host() +
                             ", where " + gib(available) + " are available");
}

}  // namespace machine
