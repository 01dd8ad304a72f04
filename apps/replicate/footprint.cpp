#include "footprint.hpp"

#include <halocline/more/islands.hpp>

#include <fstream>
#include <sstream>
#include <string>

namespace replicate {

using namespace halocline;

std::optional<double> proportional_set() {
  std::ifstream rollup("/proc/self/smaps_rollup");
  std::optional<double> all;
  double of_files = 0;
  for (std::string line; std::getline(rollup, line);) {
    std::istringstream words(line);
    std::string key;
    double kibibytes = 0;
    if (!(words >> key >> kibibytes)) continue;
    if (key == "Pss:") all = kibibytes;
    if (key == "Pss_File:") of_files = kibibytes;
  }
  if (!all) return std::nullopt;
  return (*all - of_files) * 1024;
}

std::optional<double> most_on_a_node(MPI_Comm comm, std::optional<double> mine) {
  const Islands nodes(comm);
  double bytes = mine.value_or(0);
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, nodes.island());
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_MAX, comm);
  if (!mpi::all_of(comm, mine.has_value())) return std::nullopt;
  return bytes;
}

}  // namespace replicate
