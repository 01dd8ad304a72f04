#pragma once
// Symmetric Gauss-Seidel as a preconditioner, M = (D + L) D^-1 (D + U), of rows that are taken
// colour by colour: rows of one colour have no entry in each other's columns, so that threads and
// ranks share them.

#include "format.hpp"
#include "halo.hpp"
#include "matrix.hpp"
#include "product.hpp"

#include <halocline/exchange.hpp>

#include <memory>
#include <span>
#include <vector>

namespace spmv {

/// The least colour that no neighbour with a smaller number has, for each element by its place in
/// `halo`: what one goes through in the order of `at_first`, the numbers that the rows of the whole
/// matrix had at first (none: as they are now). It does not depend on the ranks. Collective; throws
/// the same Error on all ranks, naming an entry, if the pattern of the matrix is not symmetric so
/// that two rows of one colour need each other.
std::vector<int> colours_of(MPI_Comm comm, const Matrix& matrix, const Halo& halo,
                            const std::vector<std::int64_t>& at_first);

class GaussSeidel {
 public:
  /// Takes what it needs of the matrix. `diagonal`: of this rank's rows, without a zero. Of the
  /// plan, format, sigma, threads and scheme, which is one of those that fill halos. Collective;
  /// throws as `colours_of`.
  GaussSeidel(MPI_Comm comm, const Matrix& matrix, std::span<const double> diagonal,
              const Plan& plan, const std::vector<std::int64_t>& at_first = {});

  /// z = M^-1 r, by two sweeps, of which each adds a row's products in the order of its entries.
  /// The bits are the same on any ranks and threads. Collective.
  void apply(std::span<const double> r, std::span<double> z);

  int colours() const noexcept { return static_cast<int>(lower_.size()); }

 private:
  /// The entries of rows of one colour in columns of those before, or behind.
  struct Half {
    std::unique_ptr<Format> format;
    std::vector<std::int64_t> shares;
  };
  /// Calls `finish(i)` for each row i of the half, once the sum of its entries is in sums_[i].
  template <class Finish>
  void sweep(const Half& half, const Finish& finish);

  int threads_;
  // Rows are numbered by colours, so that those of one lie side by side, and halos behind them,
  // too.
  std::vector<std::int32_t> row_;  ///< of each number the row
  std::vector<double> diagonal_, sums_;
  halocline::Array<double> z_;
  std::vector<Half> lower_, upper_;             ///< of each colour
  std::vector<halocline::Exchange> exchanges_;  ///< likewise
};

}  // namespace spmv
