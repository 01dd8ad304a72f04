#pragma once
// Other numberings of rows and columns: that bring entries near the diagonal, and that give a rank
// rows which need little of others'.

#include "matrix.hpp"

#include <halocline/more/partition.hpp>

#include <span>
#include <vector>

namespace spmv {

/// The new number of each old one, by E. Cuthill and J. McKee's algorithm, reversed (A. George,
/// J. Liu, "Computer Solution of Large Sparse Positive Definite Systems", 1981), of the structure
/// of A + A^T. Found by rank 0, which needs memory for the structure. Collective; of a square
/// matrix.
std::vector<std::int64_t> reverse_cuthill_mckee(MPI_Comm comm, const Matrix& matrix);

struct Sharing {
  std::vector<std::int64_t> place{};  ///< the new number of each old one
  Range mine{};                       ///< new numbers of this rank's rows
};

/// Parts of about equal work, of the structure of A + A^T, of which a product sends few elements of
/// x to each other; numbered so that least crosses nodes. A rank's rows keep the order `order`
/// (none: that of their numbers). Found by rank 0 likewise. Collective; of a square matrix; throws
/// Error on all ranks if there are fewer rows than ranks, or METIS is asked for and missing.
Sharing shared_out(MPI_Comm comm, const Matrix& matrix, halocline::Partitioner by,
                   const std::vector<std::int64_t>& order = {});

/// The matrix by new numbers, of which this rank has `mine`. The entries of a row keep their order,
/// and so its sum its bits. Collective.
Matrix renumbered(MPI_Comm comm, const Matrix& matrix, const std::vector<std::int64_t>& place,
                  Range mine);

/// How far any entry is from the diagonal. Collective.
std::int64_t bandwidth(MPI_Comm comm, const Matrix& matrix);

/// The elements `to` of a vector, of which this rank has `from`: element i becomes `place[i]`.
/// Collective.
std::vector<double> moved(MPI_Comm comm, Range from, std::span<const double> numbers,
                          const std::vector<std::int64_t>& place, Range to);
/// The way back.
std::vector<std::int64_t> inverse(const std::vector<std::int64_t>& place);

}  // namespace spmv
