// Whose a recording is, and where it goes.
//
// Behind one halocline-preload there may be several programs: a script that starts two, a program
// that starts helpers, processes that are spawned. The first one gets the folder, each other one a
// folder in it. Nobody overwrites what belongs to another program of the same launch, or to one
// that still runs.
#pragma once

#include "mpi.hpp"
#include "recording.hpp"

#include <cstdint>

namespace recorder {

struct Whose {
  char run[320];          // the same on all ranks of the program: host, process, moment
  char folder[4096];      // where its files go
  std::int64_t launched;  // milliseconds of the calendar's clock: when its launcher started it,
  std::int64_t started;   // and when it came to MPI_Init
  bool named;             // it is what halocline-preload was given, not started by that
  char job[64];           // as the batch system calls it; empty: there is none
};

// All ranks of a program ask together. Ends the process if nothing can be written there.
void find_place(const Recording& run, MPI_Comm world, Whose& whose);

}  // namespace recorder
