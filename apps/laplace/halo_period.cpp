#include "halo_period.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace laplace {

namespace {

constexpr int candidates[] = {1, 2, 4, 8, 16, 32};
constexpr int tried = std::size(candidates);
constexpr int rounds = 3;
/// Iterations with a period before it is measured, and while it is: several times the longest.
constexpr std::int64_t lead = 64, span = 192;

double middle(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

HaloPeriod::HaloPeriod(int fixed, bool first, GlobalSum& orders)
    : settled_(fixed > 0),
      first_(first),
      orders_(orders),
      now_(std::max(1, fixed)),
      rates_(tried) {}

void HaloPeriod::advance() {
  if (settled_) return;
  // Below 0: for good.
  const auto order = orders_.advance([&] { return first_ ? (chosen_ ? -now_ : now_) : 0; });
  if (!order) return;
  now_ = first_ ? now_ : static_cast<int>(std::abs(*order));
  settled_ = *order < 0;
}

void HaloPeriod::drain() {
  if (!settled_) orders_.drain();
}

void HaloPeriod::observe(double seconds, std::int64_t iterations, double residual) {
  if (settled_ || chosen_) return;
  if (began_ < 0) began_ = iterations;
  const std::int64_t done = iterations - began_;
  if (!measuring_ && done >= lead) {
    measuring_ = true;
    seconds_ = seconds;
    residual_ = residual;
    began_ = iterations;
  } else if (measuring_ && done >= span) {
    // The residual falls ever more slowly at first, so the candidates take turns.
    if (seconds > seconds_ && residual > 0)
      rates_[static_cast<std::size_t>(trials_ % tried)].push_back(std::log(residual_ / residual) /
                                                                  (seconds - seconds_));
    measuring_ = false;
    began_ = iterations;
    if (++trials_ == rounds * tried)
      choose();
    else
      now_ = candidates[trials_ % tried];
  }
}

void HaloPeriod::choose() {
  chosen_ = true;
  now_ = candidates[0];
  double best = middle(rates_[0]);
  for (int i = 1; i < tried; ++i) {
    // Rarer halos must be worth it by more than the noise.
    if (const double rate = middle(rates_[static_cast<std::size_t>(i)]); rate > 1.02 * best) {
      best = rate;
      now_ = candidates[i];
    }
  }
}

}  // namespace laplace
