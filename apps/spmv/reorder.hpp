#pragma once
// Other numberings of rows and columns, that bring entries near the diagonal.

#include "matrix.hpp"

#include <span>
#include <vector>

namespace spmv {

/// The new number of each old one, by E. Cuthill and J. McKee's algorithm, reversed (A. George,
/// J. Liu, "Computer Solution of Large Sparse Positive Definite Systems", 1981), of the structure
/// of A + A^T. Found by rank 0, which needs memory for the structure. Collective; of a square
/// matrix.
std::vector<std::int64_t> reverse_cuthill_mckee(MPI_Comm comm, const Matrix& matrix);

/// The matrix by new numbers, an even part of the rows on each rank. The entries of a row keep
/// their order, and so its sum its bits. Collective.
Matrix renumbered(MPI_Comm comm, const Matrix& matrix, const std::vector<std::int64_t>& place);

/// How far any entry is from the diagonal. Collective.
std::int64_t bandwidth(MPI_Comm comm, const Matrix& matrix);

/// The elements `to` of a vector, of which this rank has `from`: element i becomes `place[i]`.
/// Collective.
std::vector<double> moved(MPI_Comm comm, Range from, std::span<const double> numbers,
                          const std::vector<std::int64_t>& place, Range to);
/// The way back.
std::vector<std::int64_t> inverse(const std::vector<std::int64_t>& place);

}  // namespace spmv
