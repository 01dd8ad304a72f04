#pragma once
// Copies of a rank's array, for returning to a sweep that turns out to have been the last.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>

namespace partdiff {

/// Keeps the two newest of a series of copies, which are at least `reach` sweeps apart: together
/// they reach back to any sweep less than `reach` ago. After k sweeps the next copy comes in about
/// sqrt(16 k): a copy takes about as long as 8 sweeps in flight, and half a distance is computed
/// again on average, so that this makes the sum of both least.
class Snapshots {
 public:
  Snapshots(std::size_t elements, std::int64_t reach) : elements_(elements), reach_(reach) {
    for (Copy& copy : copies_) copy.data.reset(new double[elements]);
  }

  /// For a new solution.
  void forget() {
    next_ = 0;
    for (Copy& copy : copies_) copy.sweeps = -1;
  }

  /// Called between sweeps with the number of sweeps done.
  void take(std::int64_t sweeps, const double* array) {
    if (sweeps < next_) return;
    next_ = sweeps + std::max(reach_, static_cast<std::int64_t>(
                                          std::sqrt(16.0 * static_cast<double>(sweeps))));
    Copy& copy = copies_[copies_[0].sweeps > copies_[1].sweeps ? 1 : 0];
    copy.sweeps = sweeps;
    std::memcpy(copy.data.get(), array, elements_ * sizeof(double));
  }

  /// Brings back the newest copy that is not beyond `sweeps`; returns its number of sweeps.
  std::int64_t restore(std::int64_t sweeps, double* array) const {
    const int newer = copies_[1].sweeps > copies_[0].sweeps ? 1 : 0;
    const Copy& copy = copies_[copies_[newer].sweeps <= sweeps ? newer : 1 - newer];
    std::memcpy(array, copy.data.get(), elements_ * sizeof(double));
    return copy.sweeps;
  }

 private:
  struct Copy {
    std::int64_t sweeps = -1;
    std::unique_ptr<double[]> data;
  };
  std::size_t elements_;
  std::int64_t reach_, next_ = 0;
  Copy copies_[2];
};

}  // namespace partdiff
