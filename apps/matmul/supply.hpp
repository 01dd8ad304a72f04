#pragma once
// How panels of A and B come to the ranks that multiply them, step by step.

#include "part.hpp"

#include <halocline/exchange.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace matmul {

enum class Algorithm {
  automatic,  ///< from their owners, to each rank in another order
  cannon,     ///< from neighbour to neighbour, after a skew
  summa,      ///< from their owners, to all of a row and of a column in the same order
};

/// A panel of A and one of B in memory: the columns of A and the rows of B that `k` names.
struct Factor {
  Range k;
  const double *a, *b;
  std::int64_t stride_of_a, stride_of_b;
};

/// What a rank owns of A and B, and the exchanges that bring it what it does not. For each product
/// `start(0), finish(0)`, then step by step `start(s + 1)`, the product of `factor(s)`,
/// `finish(s + 1)`; all ranks together, idle ones too. What is owned stays as it is.
class Supply {
 public:
  virtual ~Supply() = default;

  /// Where this rank's tiles of A and B are, and their array.
  const std::vector<Tile>& tiles_of_a() const noexcept { return a_; }
  const std::vector<Tile>& tiles_of_b() const noexcept { return b_; }
  double* data() const noexcept { return memory_.data(); }
  std::size_t numbers() const noexcept { return memory_.size(); }  ///< with room for panels
  const std::string& note() const noexcept { return memory_.memory().note(); }

  int steps() const noexcept { return steps_; }
  virtual void start(int step) = 0;   ///< for all from 0 to steps(); the last brings nothing
  virtual void finish(int step) = 0;  ///< then `factor(step)` can be read until start(step + 2)
  virtual Factor factor(int step) const = 0;
  /// Whether anything is under way between start and finish of `step`.
  virtual bool brings(int step) const = 0;
  /// Numbers that this rank sends for one product.
  std::int64_t words() const noexcept { return words_; }
  /// What the scheme has become; of `auto` what its first exchange has.
  const std::optional<halocline::Scheme>& scheme() const noexcept { return scheme_; }

 protected:
  Supply(MPI_Comm comm, const Part& part, int steps) : comm_(comm), part_(part), steps_(steps) {}

  /// Places the tiles from the array's first element on; returns the first element after them.
  std::size_t place_owned();
  void allocate(std::size_t numbers, const halocline::Scheme& scheme) {
    memory_ = halocline::Array<double>(comm_, numbers, scheme);
  }
  /// An exchange, or nothing where no rank has a link. Collective.
  std::unique_ptr<halocline::Exchange> exchange(const halocline::Pattern& pattern,
                                                const halocline::Scheme& scheme,
                                                halocline::Halos halos = halocline::Halos::landed);

  MPI_Comm comm_;
  Part part_;
  int steps_;
  std::vector<Tile> a_, b_;               ///< those of the panels that this rank owns, in order
  std::vector<std::size_t> a_at_, b_at_;  ///< for each panel, where its tile begins if it is mine
  halocline::Array<double> memory_;
  std::int64_t words_ = 0;
  std::optional<halocline::Scheme> scheme_;
};

/// Panels from their owners, into two buffers in turn, or read where they lie: by all in the same
/// order, or `rotated`, by each rank from the first one on that its row and its column own, as
/// after Cannon's skew. `steps` is the number of panels of the deepest part of K. Collective, as
/// all that follow.
std::unique_ptr<Supply> make_fetching(MPI_Comm comm, const Part& part, int steps, bool rotated,
                                      const halocline::Scheme& scheme);

/// Cannon's algorithm on a grid of any shape: after the skew, panels of A wander along rows and
/// those of B along columns. For schemes that copy them.
std::unique_ptr<Supply> make_shifting(MPI_Comm comm, const Part& part, int steps,
                                      const halocline::Scheme& scheme);

}  // namespace matmul
