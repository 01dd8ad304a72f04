#pragma once
// Copies of a rank's array, for returning to a sweep that turns out to have been the last.

#include <cstdint>
#include <cstring>
#include <memory>

namespace partdiff {

/// Keeps a copy every `interval` sweeps, the two newest in turn: together they reach back at least
/// `interval` sweeps.
class Snapshots {
 public:
  Snapshots(std::size_t elements, std::int64_t interval) : elements_(elements), interval_(interval) {
    for (Copy& copy : copies_) copy.data.reset(new double[elements]);
  }

  /// For a new solution.
  void forget() {
    for (Copy& copy : copies_) copy.sweeps = -1;
  }

  /// Called before each sweep with the number of sweeps done.
  void take(std::int64_t sweeps, const double* array) {
    if (sweeps % interval_ != 0) return;
    Copy& copy = copies_[sweeps / interval_ % 2];
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
  std::int64_t interval_;
  Copy copies_[2];
};

}  // namespace partdiff
