#pragma once
// Sparse matrices from files, and what can be said of Jacobi's method for them.

#include <cstdint>
#include <string>
#include <vector>

namespace laplace {

/// A square matrix by rows; the columns of a row ascend. Values of the same place have been added.
struct Matrix {
  std::int64_t rows = 0;
  std::vector<std::int64_t> begin;    ///< of each row's entries, and their end
  std::vector<std::int64_t> columns;  ///< from 0
  std::vector<double> values;
};

/// Reads the Matrix Market exchange format (R. F. Boisvert, R. Pozo, K. A. Remington, "The Matrix
/// Market Exchange Formats", NISTIR 5935, 1996): coordinate; real or integer; general, symmetric or
/// skew-symmetric. Throws Error naming file, line and reason, also if the matrix is not square or
/// has a zero on its diagonal.
Matrix read_matrix(const std::string& file);
/// Reads a vector: Matrix Market array (n x 1) or coordinate. Throws Error likewise.
std::vector<double> read_vector(const std::string& file, std::int64_t rows);
/// A times (1, 1, ...).
std::vector<double> row_sums(const Matrix&);

/// What is known of the spectral radius of |M|, M = -D^-1 (L + U): asynchronous iterations converge
/// for every order of updates if and only if it is below 1 (Chazan and Miranker 1969).
struct SpectralRadius {
  double low = 0, high = 0;  ///< bounds (Collatz and Wielandt)
  double estimate = 0;       ///< by power iteration
  bool converges() const noexcept { return high < 1 || (low < 1 && estimate < 1); }
};
SpectralRadius spectral_radius(const Matrix&);

}  // namespace laplace
