#include "race.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace halocline::detail {

namespace {

constexpr double alike = 0.01;               // differences that do not matter
constexpr std::size_t enough_samples = 100;  // for an interval to be believed when it is narrow
constexpr std::size_t enough_to_see = 400;   // that what happens now and then has happened
constexpr std::size_t repetitions_before_a_look = 16;  // or a quarter of what there is
// All of fewer samples lie on one side of the median too often to say anything.
constexpr std::size_t least_samples = 8;
constexpr double overtime = 0.5;  // seconds, to have that many
// Standard errors between two means. If k disturbances have hit one of the two and none the other,
// its excess is about the square root of k: a few do not make it a loser.
constexpr double worse = 4, doubtful = 2;

}  // namespace

Duel::Duel(std::span<const double> mine, std::span<const double> other) {
  const std::size_t n = std::min(mine.size(), other.size());
  std::vector<double> quotients(n);
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    quotients[i] = mine[i] / other[i];
    const double difference = mine[i] - other[i];
    sum += difference, squares += difference * difference;
  }
  times = base::median(quotients, 0.99);
  const auto count = static_cast<double>(n);
  const double variance = n > 1 ? (squares - sum * sum / count) / (count - 1) : 0;
  if (variance > 0) excess = sum / std::sqrt(variance * count);
}

std::size_t Race::enter(std::string name, std::string family) {
  runners_.push_back({.name = std::move(name), .family = std::move(family)});
  return runners_.size() - 1;
}

void Race::drop(std::size_t runner, double times, std::string why) {
  runners_[runner].times = times;
  runners_[runner].dropped = std::move(why);
}

std::vector<std::size_t> Race::running() const {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < runners_.size(); ++i)
    if (runners_[i].dropped.empty()) list.push_back(i);
  return list;
}

Duel Race::duel(std::size_t runner, std::size_t other) const {
  return {runners_[runner].seconds, runners_[other].seconds};
}

double Race::mean(std::size_t runner) const {
  const auto& seconds = runners_[runner].seconds;
  return std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
}

std::size_t Race::smallest_mean() const {
  const std::vector<std::size_t> list = running();
  return *std::min_element(list.begin(), list.end(),
                           [this](std::size_t a, std::size_t b) { return mean(a) < mean(b); });
}

std::size_t Race::leader() const {
  const std::size_t steady = smallest_mean();
  std::size_t first = steady;
  for (const std::size_t runner : running())
    if (duel(runner, steady).excess < doubtful && of(runner).value < of(first).value)
      first = runner;
  return first;
}

std::optional<std::size_t> Race::rival(std::size_t leader) const {
  std::optional<std::size_t> best;
  for (const std::size_t runner : running())
    if (runners_[runner].family != runners_[leader].family &&
        (!best || of(runner).value < of(*best).value))
      best = runner;
  return best;
}

std::vector<std::size_t> Race::visits(std::size_t repetitions) {
  std::vector<std::size_t> all, once = running();
  for (; repetitions > 0; --repetitions) {
    // Not std::shuffle, whose result is not the same everywhere.
    for (std::size_t i = once.size(); i > 1; --i) std::swap(once[i - 1], once[dice_() % i]);
    all.insert(all.end(), once.begin(), once.end());
  }
  return all;
}

/// Drops who is behind one of the two best by the median and no better by the mean, or behind by
/// the mean beyond chance.
void Race::cull(int round) {
  const std::size_t steady = smallest_mean(), first = leader();
  const std::optional<std::size_t> rival = this->rival(first);
  for (const std::size_t runner : running()) {
    runners_[runner].times = duel(runner, first).times.value;
    for (const std::size_t best : {first, steady}) {
      if (runner == best) continue;
      const Duel found = duel(runner, best);
      const bool few = found.times.confidence < 0.99;
      // With few samples it must be obvious, and for the rival.
      const bool spared = few || (runner == rival && !has_samples(enough_to_see));
      const bool by_median = found.times.low > (spared ? 2 : 1) && mean(runner) >= mean(best);
      const bool by_mean = !spared && found.excess > worse;
      if (!by_median && !by_mean) continue;
      drop(runner, std::max(found.times.value, runners_[runner].times),
           base::formatted("round %d: %.3g times as long%s", round,
                           by_median ? found.times.value : mean(runner) / mean(best),
                           by_median ? "" : " in the mean"));
      break;
    }
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
  const std::size_t first = leader();
  return has_samples(enough_samples) &&
         std::all_of(list.begin(), list.end(), [&](std::size_t runner) {
           const base::Interval times = duel(runner, first).times;
           return times.low >= 1 - alike && times.high <= 1 + alike;
         });
}

void Race::run(const Measure& measure, const Left& left, int most) {
  for (const std::size_t runner : running()) runners_[runner].seconds.clear();
  double each = 0;  // seconds of a repetition
  std::size_t repetitions = 2, done = 0;
  for (int round = 1; round <= most; ++round) {
    const double before = left();
    if (round > 1) {
      if (before < each && (has_samples(least_samples) || before < -overtime)) return;
      repetitions = std::max(std::min(2 * repetitions, repetitions_before_a_look), done / 4);
      if (each > 0 && before < each * static_cast<double>(repetitions))
        repetitions = static_cast<std::size_t>(std::max(1.0, before / each));
    }
    done += repetitions;
    const std::vector<std::size_t> order = visits(repetitions);
    const std::vector<double> seconds = measure(order);
    for (std::size_t i = 0; i < order.size(); ++i) add(order[i], seconds[i]);
    each = (before - left()) / static_cast<double>(repetitions);
    cull(round);
    if (decided()) return;
  }
}

}  // namespace halocline::detail
