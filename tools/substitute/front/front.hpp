#pragma once
// What the library in front offers to the one behind it.

/// The address of "PMPI_..." in the program's MPI. Ends the process with a line if it has none.
extern "C" __attribute__((visibility("default"))) void* halocline_substitute_real(const char* name);
