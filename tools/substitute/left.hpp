#pragma once
// What is left to MPI.

namespace substitute {

/// Tells of it, if the program has had any.
void report_what_is_left();

}  // namespace substitute
