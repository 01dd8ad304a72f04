#include "matrix.hpp"

#include "deal.hpp"

#include <algorithm>

namespace spmv {

using namespace halocline;

Range columns_of(MPI_Comm comm, const Matrix& matrix) {
  if (matrix.square()) return matrix.rows;
  return part_of(matrix.all_columns, mpi::size(comm), mpi::rank(comm));
}

std::size_t balanced_owner(std::int64_t before, std::int64_t all, std::size_t ranks) {
  const double share =
      static_cast<double>(before) / static_cast<double>(all) * static_cast<double>(ranks);
  return std::min(static_cast<std::size_t>(share), ranks - 1);
}

Matrix balanced(MPI_Comm comm, const Matrix& matrix) {
  const auto ranks = static_cast<std::size_t>(mpi::size(comm));
  const std::int64_t mine = matrix.entries() + of_a_row * matrix.rows.size();
  std::int64_t before = 0;
  HALOCLINE_MPI(MPI_Exscan, &mine, &before, 1, MPI_INT64_T, MPI_SUM, comm);
  if (mpi::rank(comm) == 0) before = 0;
  const std::int64_t all = over_ranks(comm, mine);

  // The owner of a row follows from the entries of the rows before it.
  std::vector<std::vector<std::int64_t>> lengths(ranks), columns(ranks);
  std::vector<std::vector<double>> values(ranks);
  for (std::int64_t row = 0; row < matrix.rows.size(); ++row) {
    const std::int64_t from = matrix.begin[static_cast<std::size_t>(row)],
                       to = matrix.begin[static_cast<std::size_t>(row) + 1];
    const std::size_t owner = balanced_owner(before + from + of_a_row * row, all, ranks);
    lengths[owner].push_back(to - from);
    columns[owner].insert(columns[owner].end(), matrix.columns.begin() + from,
                          matrix.columns.begin() + to);
    values[owner].insert(values[owner].end(), matrix.values.begin() + from,
                         matrix.values.begin() + to);
  }
  Matrix even;
  even.all_rows = matrix.all_rows;
  even.all_columns = matrix.all_columns;
  for (const auto& list : deal(comm, lengths))
    for (const std::int64_t length : list) even.begin.push_back(even.begin.back() + length);
  for (const auto& list : deal(comm, columns))
    even.columns.insert(even.columns.end(), list.begin(), list.end());
  for (const auto& list : deal(comm, values))
    even.values.insert(even.values.end(), list.begin(), list.end());
  const std::int64_t rows = std::ssize(even.begin) - 1;
  std::int64_t end = 0;
  HALOCLINE_MPI(MPI_Scan, &rows, &end, 1, MPI_INT64_T, MPI_SUM, comm);
  even.rows = {end - rows, end};
  return even;
}

std::int64_t over_ranks(MPI_Comm comm, std::int64_t mine) {
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_SUM, comm);
  return mine;
}

}  // namespace spmv
