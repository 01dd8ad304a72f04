#pragma once
// How much of the inner part the thread that communicates sweeps in `thread`, so that all threads
// come to the border at the same time. Adapted from step to step.

#include <cstdint>
#include <vector>

namespace halocline::detail {

class Balance {
 public:
  explicit Balance(int threads) : seconds_(static_cast<std::size_t>(threads)) {}

  /// Units of the inner part for the thread that communicates, beside so many others.
  std::int64_t mine(std::int64_t inner, int others) const noexcept;
  /// Thread `thread` has swept so many units of the inner part. By all threads at the same time.
  void swept(int thread, std::int64_t units, double seconds) noexcept;
  /// A step has ended, of which the exchange took so many seconds.
  void adapt(std::int64_t inner, double exchanging) noexcept;

  /// What the thread that communicates sweeps, as a share of what each other thread does.
  double share() const noexcept { return share_; }

 private:
  double share_ = 1;
  std::vector<double> seconds_;  ///< of a unit in this step, by threads; 0: swept none
};

}  // namespace halocline::detail
