// Which rank of a job says the line that all of them would say.
#pragma once

#include <cstdlib>
#include <ctime>

namespace preload {

// As the launcher has numbered it; -1: no launcher that is known.
inline int rank_by_launcher() {
  for (const char* name : {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    const char* text = std::getenv(name);
    if (text && *text) return std::atoi(text);
  }
  return -1;
}

// True at once on the first rank, and where there are no ranks. The others may have another reason:
// they wait, and only those whose launcher has not ended them meanwhile, with the first one, are to
// speak, too. Slurm ends none, but says itself which have failed.
inline bool is_to_speak() {
  const int rank = rank_by_launcher();
  if (rank <= 0) return true;
  const char* task = std::getenv("SLURM_PROCID");
  if (task && std::atoi(task) == rank) return false;
  timespec rest{3, 0};
  while (nanosleep(&rest, &rest) != 0) {
  }
  return true;
}

}  // namespace preload
