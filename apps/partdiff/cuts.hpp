#pragma once
// How the points are cut for any number of ranks, and how many sweeps there are between exchanges.
// Arithmetic.

#include "solver.hpp"
#include "sweeps.hpp"

#include <halocline/cut.hpp>

namespace partdiff {

/// Rows that a rank of Gauss-Seidel takes over: those with sweeps in flight, the complete one
/// above, and what makes the number of rows before them a multiple of what the kernel wants.
constexpr int rows_taken_over = widest + band_rows;

/// Interior points along both axes.
std::vector<std::int64_t> cells(const Problem& problem);

/// Settings::halo_depth, where it is not said: sweeps per exchange.
int jacobi_depth(int ranks, const Problem&, const Settings&);
int gauss_seidel_depth(int ranks, const Problem&, const Settings&);

halocline::GridOptions jacobi_options(const Settings&);
/// With `settings.halo_depth` > 1.
halocline::GridOptions deep_jacobi_options(int ranks, const Settings&);
halocline::GridOptions gauss_seidel_options(int ranks, const Settings&);

/// The rows of the grid that a rank in this row of ranks computes with Gauss-Seidel's sweeps in
/// flight, so that each rank's number of rows suits the kernel.
halocline::Range rows_in_flight(const halocline::GridCut& cut, int coordinate);
/// The first of these: those that the rank before waits for.
std::int64_t first_rows_in_flight(const halocline::Range& computed, const halocline::Range& owned,
                                  int sweeps);

}  // namespace partdiff
