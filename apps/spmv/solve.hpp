#pragma once
// Linear systems A x = b by conjugate gradients. All sums over x are exact, so that every iteration
// has the same bits on any ranks and threads.

#include "product.hpp"

#include <frame/progress.hpp>

#include <span>
#include <vector>

namespace spmv {

enum class Method {
  cg,            ///< M. R. Hestenes, E. Stiefel, 1952: two reductions an iteration
  pipelined_cg,  ///< P. Ghysels, W. Vanroose, Parallel Computing 40, 2014: one, beside the product
};
enum class Preconditioner { none, jacobi };

struct Task {
  Method method = Method::cg;
  Preconditioner preconditioner = Preconditioner::none;
  double tolerance = 1e-8;  ///< of |b - A x| / |b|
  int most = 10'000;        ///< iterations
};

struct Solution {
  int iterations = 0;
  double residual = 0;            ///< |b - A x| / |b|, of the x that came out
  bool converged = false;         ///< the recurrence, whose residual drifts from that one
  std::vector<double> history{};  ///< what the recurrence has, before each iteration and at the end
};

/// How many inputs of the product it needs.
int inputs_of(Method method);

/// Where a matrix has its diagonal. Throws Error on all ranks, naming the first row without one, or
/// with 0, by which Jacobi's preconditioner would divide. Collective.
std::vector<double> diagonal_of(MPI_Comm comm, const Matrix& matrix);

/// From x = 0. `diagonal` only with Jacobi's preconditioner. Collective; throws Error on all ranks
/// where A turns out not to be positive definite.
Solution solve(MPI_Comm comm, Product& product, std::span<const double> diagonal,
               std::span<const double> b, std::span<double> x, int threads, const Task& task,
               const frame::Progress& progress);

}  // namespace spmv
