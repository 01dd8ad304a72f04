// However the process ends, its recording is written before.
#pragma once

namespace recorder {

// From now on: at exit, also without MPI_Finalize, and by a signal that ends the process.
void watch_for_end();

// Writes the recording if there is one that is not written yet.
void end_recording(const char* how, bool in_signal);

}  // namespace recorder
