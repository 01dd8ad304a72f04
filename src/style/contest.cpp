#include "contest.hpp"

#include "base/median.hpp"

#include <algorithm>
#include <cmath>

namespace halocline::detail {

namespace {

constexpr int visits_a_round = 5;
constexpr double visit_s = 2e-3;
constexpr double most_steps = 1000;

}  // namespace

double Contest::Entrant::median() const {
  return base::median(seconds).value;
}

Contest::Contest(const std::vector<Style>& styles) {
  for (const Style& style : styles) {
    running_.push_back(all_.size());
    all_.push_back({style});
  }
  visits_ = running_;
}

void Contest::took(double seconds) {
  Entrant& entrant = all_[visits_[visit_]];
  entrant.seconds.push_back(seconds / steps_);
  longest_ = std::max(longest_, seconds);
  step_ = 0;
  if (++visit_ < visits_.size()) return;
  if (!warm_) {
    warm_ = true;
    steps_ = static_cast<int>(
        std::clamp(std::ceil(visit_s / std::max(longest_, 1e-9)), 1.0, most_steps));
  } else {
    halve();
  }
  plan();
}

void Contest::halve() {
  std::ranges::stable_sort(running_, {}, [this](std::size_t i) { return all_[i].median(); });
  running_.resize((running_.size() + 1) / 2);
  std::ranges::sort(running_);
}

void Contest::plan() {
  visits_.clear();
  visit_ = 0;
  if (decided()) {
    visits_ = running_;
    return;
  }
  std::vector<std::size_t> once = running_;
  for (const std::size_t entrant : running_) all_[entrant].seconds.clear();
  for (int i = 0; i < visits_a_round; ++i) {
    // Not std::shuffle, whose result is not the same everywhere.
    for (std::size_t j = once.size(); j > 1; --j) std::swap(once[j - 1], once[dice_() % j]);
    visits_.insert(visits_.end(), once.begin(), once.end());
  }
}

}  // namespace halocline::detail
