#pragma once
// Sparse matrices that are spread over the ranks by rows.

#include <halocline/more/mpi.hpp>
#include <halocline/more/placement.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spmv {

using halocline::Range;

/// Consecutive rows of a matrix; the ranks have them in their order. Every product adds a row in
/// the order of its entries, which is that of the columns as they were numbered at first, each at
/// most once: its bits depend neither on ranks, nor on formats, nor on how rows are numbered now.
struct Matrix {
  Range rows;  ///< of this rank, by global index
  std::int64_t all_rows = 0, all_columns = 0;
  std::vector<std::int64_t> begin{0};  ///< of each row's entries, and their end
  std::vector<std::int64_t> columns;   ///< by global index
  std::vector<double> values;

  bool square() const noexcept { return all_rows == all_columns; }
  std::int64_t entries() const noexcept { return begin.back(); }  ///< of this rank
};

/// Which part of x a rank owns: of a square matrix that of its rows, else an even one.
Range columns_of(MPI_Comm comm, const Matrix& matrix);

/// What a row moves beside its entries, counted in entries.
constexpr std::int64_t of_a_row = 2;

/// The rank that gets a row of which so many are before: entries, and rows counted as entries.
/// `all` counts the whole matrix.
std::size_t balanced_owner(std::int64_t before, std::int64_t all, std::size_t ranks);

/// The same matrix with other parts: so many rows on each rank that a product moves about as much
/// memory. Collective.
Matrix balanced(MPI_Comm comm, const Matrix& matrix);

/// A sum over all ranks. Collective.
std::int64_t over_ranks(MPI_Comm comm, std::int64_t mine);

}  // namespace spmv
