#pragma once
// Linear systems A x = b by conjugate gradients. All sums over x are exact, so that every iteration
// has the same bits on any ranks and threads.

#include "gauss_seidel.hpp"
#include "kept_vectors.hpp"
#include "product.hpp"

#include <frame/progress.hpp>

#include <memory>
#include <span>
#include <vector>

namespace spmv {

enum class Method {
  cg,            ///< M. R. Hestenes, E. Stiefel, 1952: two reductions an iteration
  pipelined_cg,  ///< P. Ghysels, W. Vanroose, Parallel Computing 40, 2014: one, beside the product
};
enum class Preconditioner { none, jacobi, sgs };

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

/// A diagonal by which preconditioners cannot divide, since it has a zero in this row.
class ZeroDiagonal : public halocline::Error {
 public:
  explicit ZeroDiagonal(std::int64_t row);
  std::int64_t row;  ///< from 0
};

/// Where a matrix has its diagonal. Throws ZeroDiagonal on all ranks, naming the first row without
/// one, or with 0. Collective.
std::vector<double> diagonal_of(MPI_Comm comm, const Matrix& matrix);

/// M^-1: nothing at all, or what one of the preconditioners needs.
struct Inverse {
  std::vector<double> diagonal{};         ///< to divide by
  std::unique_ptr<GaussSeidel> sweeps{};  ///< instead
};

/// For a matrix whose rows had the numbers `at_first` (none: those that they have). Sweeps go by
/// the scheme of the product, but that they copy what it reads in place. Collective; throws Error
/// on all ranks, naming what the matrix has not.
Inverse inverse_of(MPI_Comm comm, const Matrix& matrix, Preconditioner preconditioner,
                   const Plan& plan, const Product& product,
                   const std::vector<std::int64_t>& at_first = {});

/// From x = 0, or the checkpoint. Collective; throws Error on all ranks where A turns out not to be
/// positive definite.
Solution solve(MPI_Comm comm, Product& product, Inverse& inverse, std::span<const double> b,
               std::span<double> x, int threads, const Task& task, const frame::Progress& progress,
               KeptVectors kept = {});

}  // namespace spmv
