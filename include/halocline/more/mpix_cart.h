#pragma once
/* Weighted Cartesian topologies for C: the interface that Niethammer and Rabenseifner proposed for
 * MPI (https://doi.org/10.1145/3343211.3343217), to replace MPI_Dims_create and MPI_Cart_create.
 *
 * A weight is what one communication step sends through a plane that cuts the mesh across that
 * axis: for a mesh of g[0] x g[1] x ... cells with halos h[i] wide, h[i] * g[0] * g[1] * ... /
 * g[i]. A larger weight makes an axis cut less. Functions return MPI_SUCCESS or an error class,
 * after the communicator's error handler has been called, as those of MPI do. */

#include <mpi.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* In place of dim_weights: all axes weigh the same. */
#define MPIX_WEIGHTS_EQUAL ((double*)0)

/* Writes nnodes as a product over ndims axes with the least sum of dims[i] * dim_weights[i]; among
 * equals the first axes are cut most. dims[i] > 0 stays as it is, 0 is chosen.
 * MPI_ERR_DIMS if no product fits, MPI_ERR_ARG for anything else that is wrong. */
int MPIX_Dims_weighted_create(int nnodes, int ndims, const double dim_weights[], int dims[]);

/* The same for all ranks of comm_old, with ranks placed so that least crosses nodes, then NUMA
 * domains; comm_cart is Cartesian, and its ranks are not those of comm_old: read data after this
 * call. info: none is known yet (MPI_INFO_NULL). Collective. */
int MPIX_Cart_weighted_create(MPI_Comm comm_old, int ndims, const double dim_weights[],
                              const int periods[], MPI_Info info, int dims[], MPI_Comm* comm_cart);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
