#include "race.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace halocline::detail {

namespace {

constexpr double alike = 0.01;                // differences that do not matter
constexpr std::size_t enough_samples = 20;    // for an interval to be believed when it is narrow
constexpr std::size_t most_repetitions = 16;  // between two looks at the intervals
// All of fewer samples lie on one side of the median too often to say anything.
constexpr std::size_t least_samples = 8;
constexpr double overtime = 1;  // seconds, to have that many

}  // namespace

Estimate estimate(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const std::size_t n = samples.size();
  // The number of samples below the median is binomial; 2.576 standard deviations hold 99 %.
  const double below = (static_cast<double>(n) - 2.576 * std::sqrt(static_cast<double>(n))) / 2;
  const auto first = static_cast<std::size_t>(std::max(0.0, std::floor(below)));
  const double median = (samples[(n - 1) / 2] + samples[n / 2]) / 2;
  return {median, samples[first], samples[n - 1 - first], n};
}

std::size_t Race::enter(std::string name) {
  runners_.push_back({.name = std::move(name)});
  return runners_.size() - 1;
}

std::vector<std::size_t> Race::running() const {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < runners_.size(); ++i)
    if (runners_[i].dropped.empty()) list.push_back(i);
  return list;
}

std::size_t Race::leader() const {
  const std::vector<std::size_t> list = running();
  return *std::min_element(list.begin(), list.end(), [this](std::size_t a, std::size_t b) {
    return of(a).median < of(b).median;
  });
}

std::vector<std::size_t> Race::visits(int repetitions) {
  std::vector<std::size_t> all, once = running();
  for (; repetitions > 0; --repetitions) {
    // Not std::shuffle, whose result is not the same everywhere.
    for (std::size_t i = once.size(); i > 1; --i) std::swap(once[i - 1], once[dice_() % i]);
    all.insert(all.end(), once.begin(), once.end());
  }
  return all;
}

void Race::cull(int round) {
  const std::size_t first = leader();
  const Estimate best = of(first);
  for (const std::size_t runner : running()) {
    const Estimate mine = of(runner);
    if (runner == first || mine.low <= best.high) continue;
    // With few samples it must be obvious.
    if (std::min(mine.samples, best.samples) < least_samples && mine.low <= 2 * best.high) continue;
    char why[80];
    std::snprintf(why, sizeof why, "round %d: %.3g times as long", round,
                  mine.median / best.median);
    drop(runner, why);
  }
}

bool Race::has_samples(std::size_t least) const {
  const std::vector<std::size_t> list = running();
  return std::all_of(list.begin(), list.end(),
                     [&](std::size_t runner) { return runners_[runner].seconds.size() >= least; });
}

bool Race::decided() const {
  const std::vector<std::size_t> list = running();
  if (list.size() == 1) return true;
  const double best = of(leader()).median;
  return std::all_of(list.begin(), list.end(), [&](std::size_t runner) {
    const Estimate mine = of(runner);
    return mine.samples >= enough_samples && mine.high <= best * (1 + alike) &&
           mine.low >= best * (1 - alike);
  });
}

void Race::run(const Measure& measure, const Left& left, int most) {
  for (const std::size_t runner : running()) runners_[runner].seconds.clear();
  double each = 0;  // seconds of a repetition
  std::size_t repetitions = 3;
  for (int round = 1; round <= most; ++round) {
    const double before = left();
    if (round > 1) {
      if (before < each && (has_samples(least_samples) || before < -overtime)) return;
      const double affordable = each > 0 ? before / each : most_repetitions;
      repetitions = std::min(2 * repetitions, most_repetitions);
      if (affordable < static_cast<double>(repetitions))
        repetitions = static_cast<std::size_t>(std::max(1.0, affordable));
    }
    const std::vector<std::size_t> order = visits(static_cast<int>(repetitions));
    const std::vector<double> seconds = measure(order);
    for (std::size_t i = 0; i < order.size(); ++i) add(order[i], seconds[i]);
    each = (before - left()) / static_cast<double>(repetitions);
    cull(round);
    if (decided()) return;
  }
}

}  // namespace halocline::detail
