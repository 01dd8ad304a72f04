#pragma once
// A rank's part of the grid of points: the cells of a halocline::Grid are the interior points, and
// the boundary lives in the halo cells that no link fills.

#include "patch.hpp"
#include "problem.hpp"

#include <halocline/grid.hpp>

#include <vector>

namespace partdiff {

class Domain {
 public:
  Domain(const Problem& problem, halocline::Grid grid);

  const Problem& problem() const noexcept { return problem_; }
  const halocline::Grid& grid() const noexcept { return grid_; }
  bool idle() const noexcept { return grid_.idle(); }

  std::ptrdiff_t rows() const noexcept { return rows_; }        ///< that I own
  std::ptrdiff_t columns() const noexcept { return columns_; }  ///< that I own
  int halo(int axis) const { return grid_.width(axis).below; }
  /// Rank beyond a side of my part, or MPI_PROC_NULL at the boundary.
  int up() const { return neighbour(-1, 0); }
  int down() const { return neighbour(+1, 0); }
  int left() const { return neighbour(0, -1); }
  int right() const { return neighbour(0, +1); }

  /// A rectangle of the local array; row 0 and column 0 are my first own ones.
  halocline::Block block(std::ptrdiff_t row, std::ptrdiff_t column, std::ptrdiff_t rows,
                         std::ptrdiff_t columns) const;

  /// The boundary's values, and 0 elsewhere. Each thread is the first to touch its rows, so that
  /// the pages lie with the thread that will sweep over them.
  void initialise(double* array, int threads) const;
  /// All points of the local array but its outermost ring: what can be computed from it. My own
  /// points begin at row `halo(0) - 1` and column `halo(1) - 1`.
  Patch patch(double* array) const;

  /// The points I answer for in output: my own and the boundary beside them, by global index.
  halocline::Range points(int axis) const;
  /// The points that my array holds, halos included.
  halocline::Range held(int axis) const;
  /// Global point (i, j), which my array holds.
  std::ptrdiff_t offset(std::int64_t i, std::int64_t j) const {
    return (i - first_[0]) * stride_ + (j - first_[1]);
  }
  std::ptrdiff_t stride() const noexcept { return stride_; }

 private:
  int neighbour(int down, int right) const;

  Problem problem_;
  halocline::Grid grid_;
  std::ptrdiff_t rows_ = 0, columns_ = 0, stride_ = 0;
  std::int64_t first_[2] = {};  ///< global index of the local array's first point
  std::vector<double> row_source_, column_source_;
};

}  // namespace partdiff
