#pragma once
// Launchers: whether who started this process is the launcher of the MPI that it has.

#include <string>

#pragma GCC visibility push(default)

namespace halocline {

/// What is wrong if this process is alone in MPI, but one of several to its launcher: that belongs
/// to another MPI, and all of them would do the same and write the same files. Empty if all is
/// well, or HALOCLINE_ALONE=1 says that each is meant to run for itself. MPI has begun.
std::string launcher_complaint();

namespace detail {
/// Before MPI begins: with HALOCLINE_ALONE=1, lets MPICH begin under the launcher of Open MPI,
/// whose word for where ranks meet (PMIX_*) would end it. Throws Error if the variable is
/// neither 0 nor 1.
void heed_alone();
}  // namespace detail

}  // namespace halocline

#pragma GCC visibility pop
