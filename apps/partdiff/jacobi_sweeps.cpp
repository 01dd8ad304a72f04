#include "in_flight.hpp"

namespace partdiff {

void jacobi_sweeps(const Sweeps& sweeps, int threads, Workspace& workspace) {
  sweeps_in_flight<Jacobi>(sweeps, threads, workspace);
}

}  // namespace partdiff
