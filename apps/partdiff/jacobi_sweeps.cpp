#include "in_flight.hpp"
#include "jacobi_wavefront.hpp"

namespace partdiff {

void jacobi_sweeps(const Sweeps& sweeps, int threads, Workspace& workspace) {
  if (sweeps.patch.empty()) return;
  const int together = sweeps_in_wavefront(sweeps.patch.columns);
  if (threads > 1 || together == 0) {
    sweeps_in_flight<Jacobi>(sweeps, threads, workspace);
    return;
  }
  Sweeps part = sweeps;
  for (int done = 0; done < sweeps.count; done += part.count) {
    part.count = std::min(together, sweeps.count - done);
    part.changes = sweeps.changes ? sweeps.changes + done : nullptr;
    if (part.count == 1)
      sweeps_in_flight<Jacobi>(part, 1, workspace);
    else
      jacobi_wavefront(part, workspace);
  }
}

}  // namespace partdiff
