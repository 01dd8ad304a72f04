#pragma once
// Where a test runs.

#include <halocline/environment.hpp>

/// My rank among all.
inline int me() {
  return halocline::mpi::rank(halocline::world());
}
/// How many there are.
inline int ranks() {
  return halocline::mpi::size(halocline::world());
}
