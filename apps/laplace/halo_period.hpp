#pragma once
// How often halos are worth sending, found by measurement while the problem is being solved.

#include "global_sum.hpp"

#include <cstdint>
#include <vector>

namespace laplace {

/// Tries periods in turn, each for some iterations, and keeps the one with which the residual fell
/// fastest in time. Worker 0 measures; the others learn its choice by a sum.
class HaloPeriod {
 public:
  /// `fixed` above 0: nothing is tried.
  HaloPeriod(int fixed, bool first, GlobalSum& orders);

  /// In iterations.
  int now() const noexcept { return now_; }
  bool settled() const noexcept { return settled_; }
  /// To be called as often as the residual's sum is moved on.
  void advance();
  /// On worker 0: what the residual is after so many seconds and iterations.
  void observe(double seconds, std::int64_t iterations, double residual);
  /// Ends a phase. Collective.
  void drain();

 private:
  void choose();

  bool settled_, first_;
  GlobalSum& orders_;
  int now_;
  int trials_ = 0;
  bool chosen_ = false, measuring_ = false;  // from here on: worker 0's
  std::int64_t began_ = -1;
  double seconds_ = 0, residual_ = 0;
  std::vector<std::vector<double>> rates_;  ///< decay of the residual's logarithm in a second
};

}  // namespace laplace
