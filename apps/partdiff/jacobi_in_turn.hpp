#pragma once
// Jacobi with an exchange in every sweep, whoever sweeps: two arrays in turn, and when it ends.

#include "kept_state.hpp"
#include "solver.hpp"

namespace partdiff {

/// The grid of the ranks: halos of one point, without corners.
halocline::Grid jacobi_grid(MPI_Comm comm, const Problem& problem, const Settings& settings);

/// `sweep(k, wanted)` makes sweep k from array (k-1) % 2 to array k % 2, beginning after `before`
/// sweeps, and returns this rank's residuum if it is wanted. `array(k)` is the array after sweep k,
/// on the host, for checkpoints. What the reduction takes is added to `reducing`. The array of the
/// solution is that of the outcome's iterations. Collective.
Outcome sweep_in_turn(MPI_Comm comm, const Settings& settings, const KeptState& kept,
                      std::int64_t before, double& reducing,
                      const std::function<double*(std::int64_t k)>& array,
                      const std::function<double(std::int64_t k, bool wanted)>& sweep);

}  // namespace partdiff
