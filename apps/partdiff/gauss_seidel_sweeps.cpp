#include "in_flight.hpp"

namespace partdiff {

void gauss_seidel_sweeps(const Sweeps& sweeps, int threads, Workspace& workspace) {
  sweeps_in_flight<GaussSeidel>(sweeps, threads, workspace);
}

}  // namespace partdiff
