#pragma once
#include "sweeps.hpp"

namespace partdiff {

/// How many sweeps over rows of so many points can follow each other in the first-level cache; 0 if
/// the rows are too long for it to pay.
int sweeps_in_wavefront(std::ptrdiff_t columns);

/// Two or more Jacobi sweeps, in place, by one thread: while the first computes row r, the one
/// after it computes row r - 1, and so on. Between them they keep three rows each.
void jacobi_wavefront(const Sweeps&, Workspace&);

}  // namespace partdiff
