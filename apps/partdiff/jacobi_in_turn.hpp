#pragma once
// Jacobi with an exchange in every sweep, whoever sweeps: two arrays in turn, and when it ends.

#include "solver.hpp"

namespace partdiff {

/// The grid of the ranks: halos of one point, without corners.
halocline::Grid jacobi_grid(MPI_Comm comm, const Problem& problem, const Settings& settings);

/// `sweep(k, wanted)` makes sweep k = 1, 2, ... from array (k-1) % 2 to array k % 2, and returns
/// this rank's residuum if it is wanted. What the reduction takes is added to `reducing`. The array
/// of the solution is that of the outcome's iterations. Collective.
Outcome sweep_in_turn(MPI_Comm comm, const Settings& settings, double& reducing,
                      const std::function<double(std::int64_t k, bool wanted)>& sweep);

}  // namespace partdiff
