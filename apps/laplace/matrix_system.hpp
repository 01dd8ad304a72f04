#pragma once
// Any linear system, by rows.

#include "matrix.hpp"
#include "share.hpp"

#include <halocline/more/mpi.hpp>

namespace laplace {

/// What a worker has of A and b: consecutive rows. Local columns are its own rows' unknowns, then
/// those of other workers that its rows need, ascending.
struct Rows {
  halocline::Range range;  ///< by global index
  std::int64_t all = 0;    ///< rows of the matrix
  std::vector<std::int64_t> begin, columns;
  std::vector<double> values, right_side;
  /// Unknowns to and from other workers: the peer, then their number, then which (local), of each.
  std::vector<std::int64_t> sends, receives;
};

/// The rows of one of several workers.
Rows rows_of(const Matrix&, const std::vector<double>& right_side, int worker, int workers);
/// The same, from the matrix on rank 0. Collective.
Rows scatter_rows(MPI_Comm comm, const Matrix&, const std::vector<double>& right_side);

/// Unknowns begin at 0.
class MatrixSystem final : public System {
 public:
  explicit MatrixSystem(Rows rows);

  void initialise() override;
  double sweep(int steps, bool wanted) override;
  double residual() const override;
  double source() const override;
  double* cells() override { return unknowns_.data(); }
  double* twin() override { return nullptr; }
  void settle() override {}
  const halocline::Pattern& pattern() const override { return pattern_; }
  std::vector<Part> parts() const override;

 private:
  std::size_t own() const { return static_cast<std::size_t>(rows_.range.size()); }
  /// b - A u in a row.
  double residual(std::size_t row) const;

  Rows rows_;
  std::vector<double> unknowns_, new_, diagonal_;
  halocline::Pattern pattern_;
};

}  // namespace laplace
