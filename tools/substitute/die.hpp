#pragma once
// The end of a job that cannot go on: halocline's own time limit, or an error of MPI's in the
// middle of a step.

#include <exception>

namespace substitute {

/// Says so in a line and ends all ranks.
[[noreturn]] void die(const std::exception& problem) noexcept;

}  // namespace substitute
