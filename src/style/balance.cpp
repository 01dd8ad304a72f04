#include "balance.hpp"

#include <algorithm>

namespace halocline::detail {

std::int64_t Balance::mine(std::int64_t inner, int others) const noexcept {
  return static_cast<std::int64_t>(static_cast<double>(inner) * share_ / (share_ + others));
}

void Balance::swept(int thread, std::int64_t units, double seconds) noexcept {
  seconds_[static_cast<std::size_t>(thread)] = units > 0 ? seconds / static_cast<double>(units) : 0;
}

/// All threads had come to the border at the same time if the others had swept n units each and the
/// communicating one n0, where c + n0 t = n t: c seconds of the exchange, t seconds of a unit.
void Balance::adapt(std::int64_t inner, double exchanging) noexcept {
  const int threads = static_cast<int>(seconds_.size()), others = threads - 1;
  double unit = 0;
  int counted = 0;
  for (const double of_thread : seconds_)
    if (of_thread > 0) unit += of_thread, ++counted;
  if (counted == 0 || others == 0 || inner == 0) return;
  unit /= counted;
  const double away = exchanging / unit;  // units that it could have swept meanwhile
  const auto units = static_cast<double>(inner);
  const double mine = std::max(0.0, (units - others * away) / threads);
  const double fair = mine * others / (units - mine);
  constexpr double weight = 0.125;  // a step that something disturbs should not count for much
  share_ += weight * (fair - share_);
}

}  // namespace halocline::detail
