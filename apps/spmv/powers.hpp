#pragma once
// A^K x with one exchange: halos K steps deep, and sweeps that follow each other through the rows,
// so that the matrix comes from memory once for several of them (M. Mohiyuddin, M. Hoemmen,
// J. Demmel, K. Yelick, "Minimizing communication in sparse matrix solvers", SC 2009).

#include "deep.hpp"
#include "format.hpp"
#include "product.hpp"
#include "wavefront.hpp"

#include <halocline/exchange.hpp>

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace spmv {

class Powers {
 public:
  /// Takes layout, threads and scheme from the plan. Collective; throws the same Error on all
  /// ranks, also for schemes that fill no halo.
  Powers(MPI_Comm comm, const Matrix& matrix, const Plan& plan, int power);

  /// The elements of x that this rank owns, to be filled by the caller.
  std::span<double> x() const;
  /// A^K x of the rows of this rank, there until the next call: the bits of K products. Collective.
  std::span<const double> multiply();

  ProductTimes times;

  const halocline::Scheme& scheme() const noexcept { return exchange_->scheme(); }
  const std::string& note() const noexcept { return memory_.memory().note(); }
  const halocline::Pattern& pattern() const noexcept { return deep_.pattern; }
  std::int64_t stored() const noexcept { return format_->stored(); }
  /// SELL where none is asked for.
  Layout layout() const noexcept {
    return plan_.layout == Layout::crs ? Layout::crs : Layout::sell;
  }
  /// Products whose sweeps follow each other; 1: none do. The fastest, by measurement.
  int at_a_time() const noexcept { return traversal_.at_a_time; }
  /// How many strips the rows are taken in, one after the other; likewise.
  int strips() const noexcept { return traversal_.strips; }

 private:
  /// Some slices that a sweep takes at a time.
  struct Piece {
    std::int64_t first, last;  ///< slices
    std::int32_t row;          ///< the first one
    int away;                  ///< of the row that is the fewest steps away
  };
  using Visits = std::vector<std::vector<Visit>>;  ///< of each thread
  /// So many sweeps at a time, and what the threads do in so many, and in what is left at the end.
  struct Traversal {
    int at_a_time = 1, strips = 1;
    Visits visits{}, last{};
  };
  void cut();
  std::int32_t period() const;
  Traversal traversal(int at_a_time, int strips) const;
  double time_of(const Traversal& traversal);
  void choose();
  void compute(const Traversal& traversal);
  void sweep_shared(int step);
  void sweep_following(int first, const Visits& visits);
  void take(int step, const Piece& piece);
  const double* from(int step) const;
  double* to(int step) const;

  int power_;
  Plan plan_;
  Deep deep_;
  std::int64_t own_;
  halocline::Array<double> memory_;
  std::unique_ptr<halocline::Exchange> exchange_;
  std::unique_ptr<Format> format_;
  std::vector<std::int64_t> shares_;
  std::vector<Piece> pieces_;
  Neighbours neighbours_;                            ///< until a traversal is chosen
  std::array<halocline::Array<double>, 2> results_;  ///< of products in turn
  Traversal traversal_;
};

}  // namespace spmv
