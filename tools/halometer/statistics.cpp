#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace halometer {

namespace {

std::vector<double> sorted(std::span<const double> samples) {
  std::vector<double> ordered(samples.begin(), samples.end());
  std::sort(ordered.begin(), ordered.end());
  return ordered;
}

}  // namespace

Interval bootstrap(std::span<const std::span<const double>> sets,
                   const std::function<double(std::span<const double>)>& figure,
                   double confidence) {
  constexpr std::size_t draws = 4000;
  std::mt19937_64 random(draws);
  std::vector<std::vector<double>> ordered;
  std::vector<double> medians;
  double kept = confidence;
  for (const auto& set : sets) {
    ordered.push_back(sorted(set));
    const Interval alone = median(set, confidence);
    medians.push_back(alone.value);
    // Below 6 samples there is none: drawing anew does not give more than there is.
    kept = std::min(kept, alone.confidence);
  }
  Interval interval{figure(medians), 0, 0, kept};
  std::vector<double> figures(draws);
  for (double& drawn : figures) {
    for (std::size_t i = 0; i < ordered.size(); ++i) {
      // The median of n numbers drawn at random is, as a share, beta((n + 1) / 2, (n + 1) / 2): a
      // draw of the set's median costs two random numbers, not n.
      const auto n = static_cast<double>(ordered[i].size());
      std::gamma_distribution<double> gamma((n + 1) / 2);
      const double below = gamma(random), above = gamma(random);
      const auto place = static_cast<std::size_t>(n * below / (below + above));
      medians[i] = ordered[i][std::min(place, ordered[i].size() - 1)];
    }
    drawn = figure(medians);
  }
  const double tail = (1 - confidence) / 2;
  interval.low = percentile(figures, tail);
  interval.high = percentile(figures, 1 - tail);
  return interval;
}

double percentile(std::span<const double> samples, double part) {
  const std::vector<double> ordered = sorted(samples);
  const double place = std::ceil(part * static_cast<double>(ordered.size())) - 1;
  const auto last = static_cast<double>(ordered.size() - 1);
  return ordered[static_cast<std::size_t>(std::clamp(place, 0.0, last))];
}

std::size_t warm_up(std::span<const double> samples) {
  constexpr std::size_t each = 5;
  const std::size_t batches = samples.size() / each;
  if (batches < 4) return 0;

  std::vector<std::size_t> order(samples.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return samples[a] < samples[b]; });
  std::vector<double> means(batches, 0.0);
  // Equal samples share the mean of their ranks.
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && samples[order[end]] == samples[order[begin]]) ++end;
    const double rank = static_cast<double>(begin + end - 1) / 2;
    for (; begin < end; ++begin)
      if (order[begin] / each < batches) means[order[begin] / each] += rank / each;
  }

  std::size_t best = 0;
  double least = -1, sum = 0, squares = 0;
  for (std::size_t cut = batches; cut-- > 0;) {
    sum += means[cut], squares += means[cut] * means[cut];
    const auto n = static_cast<double>(batches - cut);
    if (cut > batches / 2) continue;
    const double error = (squares - sum * sum / n) / (n * n);
    if (least < 0 || error <= least) least = error, best = cut;
  }
  return best * each;
}

}  // namespace halometer
