// How many sweeps there are between exchanges, and so which solver it takes.

#include "solver.hpp"
#include "sweeps.hpp"

#include <algorithm>

namespace partdiff {

using namespace halocline;

namespace {

struct Cut {
  std::vector<int> dims;
  std::int64_t least;  ///< rows or columns of the thinnest rank along the axes that are cut
};

Cut cut(MPI_Comm comm, const Problem& problem, const Settings& settings) {
  const std::int64_t cells = problem.intervals() - 1;
  Cut cut{choose_dims(mpi::size(comm), {cells, cells}, settings.decomposition,
                      {HaloWidth(1), HaloWidth(1)}, {false, false}),
          cells};
  for (const int parts : cut.dims) cut.least = std::min(cut.least, cells / parts);
  return cut;
}

}  // namespace

std::unique_ptr<Solver> make_jacobi_solver(MPI_Comm comm, const Problem& problem,
                                           const Settings& given) {
  if (given.device) return make_device_jacobi_solver(comm, problem, given);
  Settings settings = given;
  if (settings.style) settings.halo_depth = 1;
  if (settings.halo_depth == 0) {
    const bool alone = mpi::size(comm) == 1;
    if (!alone && settings.reads_neighbours_memory())
      settings.halo_depth = 1;  // there is no halo to compute on
    else
      settings.halo_depth = alone ? widest : flight(cut(comm, problem, settings).least);
  }
  return settings.halo_depth == 1 ? make_shallow_jacobi_solver(comm, problem, settings)
                                  : make_deep_jacobi_solver(comm, problem, settings);
}

std::unique_ptr<Solver> make_gauss_seidel_solver(MPI_Comm comm, const Problem& problem,
                                                 const Settings& given) {
  Settings settings = given;
  if (settings.halo_depth == 0) {
    const Cut parts = cut(comm, problem, settings);
    const bool deep =
        mpi::size(comm) == 1 || (parts.dims[1] == 1 && parts.least >= least_rows_in_flight() &&
                                 !settings.reads_neighbours_memory());
    settings.halo_depth = deep ? widest : 1;
  }
  return make_pipelined_gauss_seidel_solver(comm, problem, settings);
}

}  // namespace partdiff
