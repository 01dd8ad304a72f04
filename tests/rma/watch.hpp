#pragma once
// When nobody can go on any more, and how the job ends then.
//
// Ranks that wait look again and again (MPI_Test, MPI_Win_sync, ...), and sleep now and then. A
// rank that does something for which another one may wait says so (`done`). When every rank has
// looked a great many times since any of them has done anything, none ever will. That holds on a
// loaded machine, too: a rank that is not running does not look.

#include <string>

namespace emulated {

int world_rank();

/// Collective over all ranks, when MPI has begun.
void begin_watch();
/// This rank has done something that others can see.
void done();
/// This rank has looked for what others do. Ends the job where that is in vain.
void looked();

/// Ends the job with one line: what kind of fault has been found, and which.
[[noreturn]] void end(const char* kind, const std::string& what);

}  // namespace emulated
