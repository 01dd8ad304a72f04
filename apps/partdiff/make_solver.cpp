// How many sweeps there are between exchanges, and so which solver it takes.

#include "cuts.hpp"

namespace partdiff {

using namespace halocline;

std::unique_ptr<Solver> make_jacobi_solver(MPI_Comm comm, const Problem& problem,
                                           const Settings& given) {
  if (given.device) return make_device_jacobi_solver(comm, problem, given);
  Settings settings = given;
  settings.halo_depth = jacobi_depth(mpi::size(comm), problem, given);
  return settings.halo_depth == 1 ? make_shallow_jacobi_solver(comm, problem, settings)
                                  : make_deep_jacobi_solver(comm, problem, settings);
}

std::unique_ptr<Solver> make_gauss_seidel_solver(MPI_Comm comm, const Problem& problem,
                                                 const Settings& given) {
  Settings settings = given;
  settings.halo_depth = gauss_seidel_depth(mpi::size(comm), problem, given);
  return make_pipelined_gauss_seidel_solver(comm, problem, settings);
}

}  // namespace partdiff
