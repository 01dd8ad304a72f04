#pragma once
// GASPI beside MPI in one program, for exchanges by `gaspi`.

#include <halocline/scheme.hpp>

#pragma GCC visibility push(default)

namespace halocline {

/// Starts GASPI on the ranks of MPI_COMM_WORLD, if it does not run yet, and returns how many
/// seconds that took on this rank (0 if the program itself had started it). It ends with the
/// process.
///
/// Collective over MPI_COMM_WORLD. The first exchange by `gaspi` starts it if it has all ranks;
/// programs whose exchanges have fewer must call this before. Throws the same Error on all ranks if
/// this build has no GASPI, if it does not start, or if its ranks are not MPI's.
double start_gaspi();

/// The same for a program that will have exchanges by this scheme on some of its ranks: starts
/// GASPI if `scheme`, or the one that it takes between islands, is `gaspi`.
void start_gaspi_for(const Scheme& scheme);

}  // namespace halocline

#pragma GCC visibility pop
