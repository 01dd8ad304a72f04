#include "median.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace halocline::base {

namespace {

/// The most samples outside the interval on each side, -1 for none: the largest d with
/// P(binomial(n, 1/2) <= d) <= tail. `kept` becomes the confidence that leaves. By what IEEE 754
/// rounds in one way: ranks on different nodes, with other versions of libm, decide alike by it.
std::ptrdiff_t outside(std::size_t samples, double tail, double& kept) {
  const auto n = static_cast<double>(samples);
  double part = 1, below = 0;  // part * 2^exponent: that so many samples are on one side
  auto exponent = -static_cast<int>(samples);
  std::ptrdiff_t d = -1;
  kept = 1 - 2 * std::ldexp(part, exponent);
  for (std::size_t k = 0; k < samples; ++k) {
    below += std::ldexp(part, exponent);
    if (below > tail) break;
    d = static_cast<std::ptrdiff_t>(k);
    kept = 1 - 2 * below;
    int more = 0;  // where there are many samples the first parts are no doubles
    part = std::frexp(part * ((n - static_cast<double>(k)) / static_cast<double>(k + 1)), &more);
    exponent += more;
  }
  return d;
}

}  // namespace

Interval median(std::span<const double> samples, double confidence) {
  if (samples.empty()) return {};
  std::vector<double> ordered(samples.begin(), samples.end());
  std::sort(ordered.begin(), ordered.end());
  const std::size_t n = ordered.size();
  Interval interval{.value = (ordered[(n - 1) / 2] + ordered[n / 2]) / 2};
  const std::ptrdiff_t d = outside(n, (1 - confidence) / 2, interval.confidence);
  const auto first = static_cast<std::size_t>(std::max<std::ptrdiff_t>(d, 0));
  interval.low = ordered[first];
  interval.high = ordered[n - 1 - first];
  return interval;
}

}  // namespace halocline::base
