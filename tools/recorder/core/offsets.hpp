// How far the clocks of the ranks are apart, when the recording begins and when it ends.
#pragma once

#include "recording.hpp"

namespace recorder {

// Both are collective over the world. Ranks of one machine have one clock, and then nothing is
// sent.
void measure_first_offset(Recording& run, MPI_Comm world);
void measure_last_offset(Recording& run);

}  // namespace recorder
