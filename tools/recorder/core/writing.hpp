// The file of this rank.
#pragma once

#include "recording.hpp"

namespace recorder {

// Folders on the way to one, too.
void make_folder(const char* path);

// Finds out where to, and who this process is: while one may still allocate. Ends the process if
// nothing can be written there.
void choose_file(const Recording& run, MPI_Comm world);

// Has a rank of this run written its own?
bool is_written(int rank);

// Writes it. `in_signal`: takes no lock and asks nobody.
void write_file(Recording& run, const char* how, bool in_signal);

}  // namespace recorder
