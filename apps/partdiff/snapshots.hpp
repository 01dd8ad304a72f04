#pragma once
// Copies of a rank's array, for returning to a sweep that turns out to have been the last.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

namespace partdiff {

/// Tells from the residuum of the sweeps so far whether a sweep to come may be the last. Copies
/// before that are not worth their time: if the guess is wrong, the solution is computed again.
class Forecast {
 public:
  /// Nothing is known of the sweeps up to `before`.
  explicit Forecast(double accuracy, std::int64_t before = 0)
      : accuracy_(accuracy), before_(before) {}

  void add(double residuum) { residua_.push_back(residuum); }
  /// The newest sweep whose residuum is known.
  std::int64_t known() const { return before_ + std::ssize(residua_); }
  double residuum(std::int64_t sweep) const {
    return residua_[static_cast<std::size_t>(sweep - before_ - 1)];
  }

  /// Whether `sweep` may meet the accuracy, if the residuum goes on falling as in the last sweeps.
  bool may_end(std::int64_t sweep) const {
    constexpr std::int64_t span = 8;
    if (std::ssize(residua_) <= span) return true;
    const double now = residua_.back(), before = residua_[residua_.size() - 1 - span];
    const double blocks = static_cast<double>(sweep - known()) / span;
    return now * std::pow(std::min(1.0, now / before), blocks) < accuracy_;
  }

 private:
  double accuracy_;
  std::int64_t before_;
  std::vector<double> residua_;
};

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
    next_ =
        sweeps +
        std::max(reach_, static_cast<std::int64_t>(std::sqrt(16.0 * static_cast<double>(sweeps))));
    Copy& copy = copies_[copies_[0].sweeps > copies_[1].sweeps ? 1 : 0];
    copy.sweeps = sweeps;
    std::memcpy(copy.data.get(), array, elements_ * sizeof(double));
  }

  /// Brings back the newest copy that is not beyond `sweeps`; returns its number of sweeps, or
  /// nothing if there is none: then it is back to the start.
  std::optional<std::int64_t> restore(std::int64_t sweeps, double* array) const {
    const int newer = copies_[1].sweeps > copies_[0].sweeps ? 1 : 0;
    const Copy& copy = copies_[copies_[newer].sweeps <= sweeps ? newer : 1 - newer];
    if (copy.sweeps < 0 || copy.sweeps > sweeps) return std::nullopt;
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
