// The C functions: arguments are checked here, all else is weighted_levels.

#include "mpi/own.hpp"
#include "place_ranks.hpp"

#include <halocline/more/mpix_cart.h>
#include <halocline/more/mpi.hpp>

#include <algorithm>

namespace halocline {

namespace {

CutCosts costs_of(int ndims, const double* weights, const int* dims) {
  const auto n = static_cast<std::size_t>(ndims);
  CutCosts costs;
  costs.weights = weights == MPIX_WEIGHTS_EQUAL ? std::vector<double>(n, 1)
                                                : std::vector<double>(weights, weights + n);
  costs.fixed.assign(dims, dims + n);
  return costs;
}

/// Fills `dims`; MPI_ERR_DIMS if nothing fits.
int create_dims(int nnodes, int ndims, const double* weights, int* dims) {
  const std::vector<int> found = weighted_dims(nnodes, costs_of(ndims, weights, dims));
  std::copy(found.begin(), found.end(), dims);
  return found.empty() ? MPI_ERR_DIMS : MPI_SUCCESS;
}

/// An error class instead of what is thrown.
template <class Body>
int error_class(const Body& body) {
  try {
    return body();
  } catch (const mpi::CallFailed& failed) {
    return failed.code();
  } catch (const Error&) {
    return MPI_ERR_ARG;
  } catch (const std::exception&) {
    return MPI_ERR_OTHER;
  }
}

int reported(MPI_Comm comm, int code) {
  if (code != MPI_SUCCESS) MPI_Comm_call_errhandler(comm, code);
  return code;
}

}  // namespace

}  // namespace halocline

using namespace halocline;

int MPIX_Dims_weighted_create(int nnodes, int ndims, const double dim_weights[], int dims[]) {
  return reported(MPI_COMM_WORLD, error_class([&]() -> int {
                    if (nnodes < 1 || ndims < 1 || dims == nullptr) return MPI_ERR_ARG;
                    return create_dims(nnodes, ndims, dim_weights, dims);
                  }));
}

int MPIX_Cart_weighted_create(MPI_Comm comm_old, int ndims, const double dim_weights[],
                              const int periods[], MPI_Info, int dims[], MPI_Comm* comm_cart) {
  return reported(comm_old, error_class([&]() -> int {
                    if (ndims < 1 || periods == nullptr || dims == nullptr || comm_cart == nullptr)
                      return MPI_ERR_ARG;
                    const CutCosts costs = costs_of(ndims, dim_weights, dims);
                    const PlacedRank placed = place_ranks(comm_old, costs);
                    int used = placed.dims.empty() ? 0 : 1;
                    for (int parts : placed.dims) used *= parts;
                    if (used != mpi::size(comm_old)) return MPI_ERR_DIMS;
                    std::copy(placed.dims.begin(), placed.dims.end(), dims);
                    MPI_Comm raw = MPI_COMM_NULL;
                    HALOCLINE_MPI(MPI_Comm_split, mpi::talks_on(comm_old), 0, placed.part, &raw);
                    const mpi::Comm renumbered(raw);
                    HALOCLINE_MPI(MPI_Cart_create, renumbered, ndims, dims, periods, 0, comm_cart);
                    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
                    HALOCLINE_MPI(MPI_Comm_get_errhandler, comm_old, &handler);
                    HALOCLINE_MPI(MPI_Comm_set_errhandler, *comm_cart, handler);
                    MPI_Errhandler_free(&handler);
                    return MPI_SUCCESS;
                  }));
}
