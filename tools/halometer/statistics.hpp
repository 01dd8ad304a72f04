#pragma once
// What the samples of one setting say: median with interval, percentiles, warm-up. The command
// `halocline bench` looks at all launches together; this is for one.

#include <base/median.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace halometer {

using halocline::base::Interval;
using halocline::base::median;

/// A figure made of the medians of several sets of samples, with its interval by the percentile
/// bootstrap (B. Efron, Ann. Statist. 7, 1979, doi:10.1214/aos/1176344552): the figures that
/// medians of samples drawn anew would give. Each set has at least one sample; the same sets give
/// the same.
Interval bootstrap(std::span<const std::span<const double>> sets,
                   const std::function<double(std::span<const double>)>& figure,
                   double confidence = 0.95);

/// The sample below which a share `part` of them lies (nearest rank). At least one sample.
double percentile(std::span<const double> samples, double part);

/// How many samples at the beginning differ from what follows: the cut, at most in the middle, that
/// leaves the mean of the rest with the smallest standard error, from means of five (MSER-5:
/// K. P. White, Simulation 69(6), 1997, doi:10.1177/003754979706900601). Ranks stand in for the
/// values, so that an outlier late in the series does not count as much as a slow beginning.
std::size_t warm_up(std::span<const double> samples);

}  // namespace halometer
