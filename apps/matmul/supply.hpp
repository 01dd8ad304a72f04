#pragma once
// Panels of A and B on their way to the ranks that multiply them, step by step.

#include "schedule.hpp"

#include <halocline/exchange.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace matmul {

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
  /// `halos`: whether panels are copied, or may be read where they lie. Collective.
  Supply(MPI_Comm comm, const Part& part, Schedule schedule, const halocline::Scheme& scheme,
         halocline::Halos halos);

  /// Where this rank's tiles of A and B are, and their array.
  const std::vector<Tile>& tiles_of_a() const noexcept { return schedule_.owned.a; }
  const std::vector<Tile>& tiles_of_b() const noexcept { return schedule_.owned.b; }
  double* data() const noexcept { return memory_.data(); }
  std::size_t numbers() const noexcept { return memory_.size(); }  ///< with room for panels
  const std::string& note() const noexcept { return memory_.memory().note(); }

  int steps() const noexcept { return static_cast<int>(schedule_.before.size()); }
  void start(int step);   ///< for all from 0 to steps(); the last brings nothing
  void finish(int step);  ///< then `factor(step)` can be read until start(step + 2)
  Factor factor(int step) const;
  /// Whether anything is under way between start and finish of `step`.
  bool brings(int step) const;
  /// Numbers that this rank sends for one product.
  std::int64_t words() const noexcept { return words_; }
  /// What the scheme has become; of `auto` what its first exchange has.
  const std::optional<halocline::Scheme>& scheme() const noexcept { return scheme_; }

 private:
  template <class Act>
  void for_each(int step, Act&& act) const;
  void read_in_place(const Part& part);

  Schedule schedule_;
  halocline::Array<double> memory_;
  /// For each pattern; nothing where no rank has a link.
  std::vector<std::unique_ptr<halocline::Exchange>> exchanges_;
  std::vector<Factor> factors_;  ///< for each step in which this rank multiplies
  std::int64_t words_ = 0;
  std::optional<halocline::Scheme> scheme_;
};

}  // namespace matmul
