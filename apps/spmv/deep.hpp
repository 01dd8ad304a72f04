#pragma once
// What a rank needs to multiply several times without asking anybody in between: its rows, those
// that these need, and so on.

#include "matrix.hpp"

#include <halocline/pattern.hpp>

#include <vector>

namespace spmv {

/// Elements by ascending global index, this rank's own and those of others that are up to `steps`
/// steps away: from a row to a column in which it has an entry.
struct Deep {
  std::vector<std::int64_t> indices;  ///< global
  std::vector<int> steps;             ///< to each element: 0 for this rank's own
  std::size_t own = 0;                ///< the place of this rank's first element
  /// The rows of elements that are less than all steps away, whose columns are places here; the
  /// others have none.
  std::vector<std::int32_t> rows;  ///< the places of those that have
  std::vector<std::int64_t> begin{0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  halocline::Pattern pattern;  ///< that brings all elements which are not this rank's
};

/// For a square matrix. Collective; throws the same Error on all ranks if a rank would have more
/// than 2^31 elements.
Deep deep_of(MPI_Comm comm, const Matrix& matrix, int steps);

}  // namespace spmv
