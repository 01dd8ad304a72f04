#pragma once
// Asynchronous iterations (Chazan and Miranker 1969; Bethune et al. 2012): every worker sweeps with
// the halos it has, and nobody waits for a neighbour.

#include "global_sum.hpp"
#include "halo_traffic.hpp"
#include "system.hpp"

#include <functional>
#include <vector>

namespace laplace {

struct AsyncSettings {
  double tolerance = 1e-4;
  std::int64_t max_iterations = 0;
  int halo_period = 1;   ///< iterations from one send to the next; 0: chosen by measurement
  bool confirm = true;   ///< go on where the true residual is above the tolerance
  double slow = 1;       ///< factor on the time that this worker computes
  bool crowded = false;  ///< workers outnumber the cores
  bool first = false;    ///< this is worker 0
  double timeout = 60;   ///< seconds without a new sum, before Timeout is thrown
  std::function<void(std::int64_t iteration, double residual)> progress{};  ///< of worker 0
};

/// The residual as a sum saw it.
struct ConvergencePoint {
  double seconds, residual;
};

/// How old the halos were that a worker's sweeps read: its own iterations since they came.
struct HaloAge {
  double sum = 0;
  std::int64_t halos = 0, oldest = 0;
  double mean() const { return halos > 0 ? sum / static_cast<double>(halos) : 0; }
};

struct AsyncOutcome {
  bool converged = false;
  double residual = 0;           ///< true and relative, of the unknowns as they are left
  std::int64_t iterations = 0;   ///< of this worker
  std::int64_t synchronous = 0;  ///< of those, the ones that confirmed
  int phases = 0;                ///< above 1: so many confirmations but one sent all workers back
  int halo_period = 1;           ///< as chosen; 0: it ended before one was
  double seconds = 0, computing = 0;
  HaloAge age{};
  std::vector<ConvergencePoint> convergence{};  ///< on worker 0
};

/// Iterates from the initial state until the true residual is within the tolerance or a worker is
/// out of iterations. All workers call it and return the same `converged` and `residual`. `orders`
/// is a second sum, for a halo period chosen by measurement.
AsyncOutcome iterate(System&, HaloTraffic&, GlobalSum& residuals, GlobalSum& orders,
                     const AsyncSettings&);

/// |b|. Throws Error if it is 0. Collective.
double norm_of_source(const System&, GlobalSum&);

}  // namespace laplace
