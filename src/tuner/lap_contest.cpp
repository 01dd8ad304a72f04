#include "lap_contest.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace halocline::detail {

namespace {

constexpr std::size_t longest_period = 16;
constexpr int first_laps = 128;  // which tell how long they are and after how many they repeat
constexpr double unknown_guess = 1.5;  // times as long as the leader: who was never tried
constexpr double obvious = 1.1;        // in each of three bouts: no interval is needed
constexpr double worth_another = 1.5;  // who took longer is not asked again when there is drift
constexpr double worse_mean = 4, doubtful_mean = 2;  // standard errors of the mean difference
constexpr std::size_t bouts_for_a_mean = 16;
// The leader may be slow now and then, which takes so many laps to be seen. If half of what it has
// won by is not there, the last leader meets it so often again.
constexpr long laps_to_see = 400;
constexpr std::size_t bouts_to_see = 64;
constexpr std::size_t usual_windows = 8, strange_windows = 4;
constexpr int least_window = 10;  // laps
constexpr double most_turn = 1000, most_rest = 1e6;

/// Of adjacent blocks of `m` laps: by how much one differs from the next, usually, were they of one
/// lap. Laps that are alike but for noise have the same for each m; laps of which every second is
/// longer, a small one for two.
double roughness(std::span<const double> laps, std::size_t m) {
  std::vector<double> steps;
  double last = 0;
  for (std::size_t i = 0; i + m <= laps.size(); i += m) {
    const double now = std::accumulate(&laps[i], &laps[i] + m, 0.0);
    if (last > 0 && now > 0) steps.push_back(std::abs(std::log(now / last)));
    last = now;
  }
  return base::median(steps).value * std::sqrt(static_cast<double>(m));
}

/// Mean over its standard error.
double excess(std::span<const double> differences) {
  const auto n = static_cast<double>(differences.size());
  const double sum = std::accumulate(differences.begin(), differences.end(), 0.0);
  double squares = 0;
  for (const double d : differences) squares += (d - sum / n) * (d - sum / n);
  return squares > 0 ? sum / std::sqrt(squares / (n - 1) * n) : 0;
}

}  // namespace

LapContest::LapContest(std::vector<std::string> names, Rules rules) : rules_(rules) {
  for (std::string& name : names) enter(std::move(name));
  entrants_[leader_].state = State::leads;
}

void LapContest::enter(std::string name, double guess) {
  entrants_.push_back({.name = std::move(name), .guess = guess});
}

bool LapContest::decided() const {
  return !next();
}

base::Interval LapContest::times(std::size_t entrant) const {
  return base::median(entrants_[entrant].quotients);
}

double LapContest::looks_like(const Entrant& entrant) const {
  if (!entrant.quotients.empty()) return entrant.median;
  return entrant.guess > 0 ? entrant.guess : unknown_guess;
}

/// Who seems faster than the leader, the fastest first, so that not much is lost until it leads;
/// else who was not tried yet, the likeliest first; else who has met the leader least.
std::optional<std::size_t> LapContest::next() const {
  std::optional<std::size_t> best;
  const auto rank = [this](std::size_t i) {
    const Entrant& entrant = entrants_[i];
    const double times = looks_like(entrant);
    if (!entrant.quotients.empty() && times < 1) return std::pair(0, times);
    if (entrant.quotients.empty()) return std::pair(1, times);
    return std::pair(2, static_cast<double>(entrant.quotients.size()));
  };
  for (std::size_t i = 0; i < entrants_.size(); ++i)
    if (tries(i) && (!best || rank(i) < rank(*best))) best = i;
  return best;
}

std::vector<LapContest::Turn> LapContest::rest(double seconds) const {
  const double laps = lap_ > 0 ? std::min(seconds, rules_.window_s) / lap_ : least_window;
  return {{leader_, 0, static_cast<int>(std::clamp(laps, double{least_window}, most_rest))}};
}

std::vector<LapContest::Turn> LapContest::plan() {
  Batch batch{.turns = {}, .leader = leader_};
  if (!listens_) {
    listens_ = true;
    batch.turns.assign(first_laps, {leader_, 0, 1});
  } else if (const auto entrant = next(); turn_laps_ == 0 || !entrant) {
    batch.turns = rest(rules_.window_s);
  } else {
    Entrant& who = entrants_[*entrant];
    // One lap at first sight: who knows how long it takes.
    const int laps = who.quotients.empty() ? 1 : turn_laps_;
    const double costs = std::max(0.0, looks_like(who) - 1) * lap_ * (laps + 1);
    const double short_of = (cost_ + at_risk_ + costs) / rules_.regret - elapsed_;
    if (short_of > 0) {
      batch.turns = rest(short_of);
    } else {
      batch.turns = {{leader_, 1, laps}, {*entrant, 1, laps}, {leader_, 1, laps}};
      batch.expected = costs;
      at_risk_ += costs;
      who.state = State::runs;
      who.laps += laps + 1;
    }
  }
  planned_.push_back(batch);
  return batch.turns;
}

void LapContest::took(std::span<const double> seconds) {
  const Batch batch = std::move(planned_.front());
  planned_.pop_front();
  for (std::size_t i = 0; i < batch.turns.size(); ++i)
    elapsed_ += seconds[i] * (batch.turns[i].warm + batch.turns[i].laps);
  at_risk_ -= batch.expected;
  if (batch.turns.size() == first_laps) {
    listen(seconds);
  } else if (batch.turns.size() == 1) {
    if (batch.leader == leader_) watch(seconds[0], batch.turns[0].laps);
  } else {
    const auto& [entrant, warm, laps] = batch.turns[1];
    const double leaders = (seconds[0] + seconds[2]) / 2;
    double& cost = entrants_[entrant].cost;  // what hits the one or the other makes no difference
    const double before = std::exchange(cost, cost + (seconds[1] - leaders) * (warm + laps));
    cost_ += std::max(0.0, cost) - std::max(0.0, before);
    // Another leads since then, or it is out.
    if (batch.leader == leader_ && entrants_[entrant].state == State::runs)
      meet(entrant, seconds[1], leaders);
  }
}

/// The shortest turns that clocks can time; longer ones where laps repeat.
void LapContest::listen(std::span<const double> seconds) {
  lap_ = base::median(seconds).value;
  const auto least = static_cast<std::size_t>(
      std::clamp(std::ceil(rules_.turn_s / std::max(lap_, 1e-9)), 1.0, most_turn));
  turn_laps_ = static_cast<int>(least);
  double best = 0.5 * roughness(seconds, std::min(least, longest_period));
  for (std::size_t m = least + 1; m <= longest_period; ++m)
    if (const double rough = roughness(seconds, m); rough < best)
      best = rough, turn_laps_ = static_cast<int>(m);
}

void LapContest::meet(std::size_t entrant, double mine, double leaders) {
  Entrant& who = entrants_[entrant];
  who.quotients.push_back(mine / leaders);
  who.differences.push_back(mine - leaders);
  who.median = base::median(who.quotients).value;
  lap_ += (leaders - lap_) / 16;
  if (who.quotients.size() >= who.next_look) judge(entrant);
}

void LapContest::judge(std::size_t entrant) {
  Entrant& who = entrants_[entrant];
  const std::vector<double>& quotients = who.quotients;
  const std::size_t n = quotients.size();
  const auto look = static_cast<double>(++who.looks);
  who.next_look = std::max(n + 1, n + n / 4);

  const double least = std::ranges::min(quotients);
  if (n >= who.least && (least > rules_.hopeless || (n >= 3 && least > obvious)))
    return leave_out(entrant, base::formatted("%.3g times as long, %.3g at least, in %zu bouts",
                                              who.median, least, n));

  const auto share = look * (look + 1) * static_cast<double>(entrants_.size() - 1);
  const auto within = [&](double error) {  // on either side
    const base::Interval found = base::median(quotients, 1 - 2 * error);
    return found.confidence >= 1 - 2 * error ? std::optional(found) : std::nullopt;
  };
  const double mean = n >= bouts_for_a_mean ? excess(who.differences) : 0;
  const double margin = contests_ > 1 ? 2 * rules_.alike : 0;
  if (const auto found = within(rules_.error / share);
      (found && found->high < 1 - margin && mean < doubtful_mean) || mean < -worse_mean - margin)
    return crown(entrant);
  if (n < who.least) return;
  if (const auto found = within(rules_.error / look / (look + 1));
      (found && found->low > 1 - rules_.alike && mean > -doubtful_mean) || mean > worse_mean)
    leave_out(entrant, base::formatted("%.3g times as long in %zu bouts", who.median, n));
}

void LapContest::crown(std::size_t entrant) {
  const double gain = entrants_[entrant].median;
  const std::size_t last = leader_;
  leader_ = entrant;
  lap_ *= gain;
  for (Entrant& other : entrants_) {
    if (tries(static_cast<std::size_t>(&other - entrants_.data())))
      other.guess = (other.quotients.empty() && other.guess == 0 ? 0 : looks_like(other) / gain);
    if (&other == &entrants_[entrant]) continue;  // what it won by
    other.forget();
  }
  entrants_[entrant].state = State::leads;
  entrants_[last].state = State::out;
  entrants_[last].guess = 1 / gain;
  entrants_[last].why =
      base::formatted("%.3g times as long as %s", 1 / gain, entrants_[entrant].name.c_str());
  disappointing_ =
      own_laps_ > 0 ? own_seconds_ / static_cast<double>(own_laps_) * (1 + gain) / 2 : 0;
  last_ = last;
  own_seconds_ = 0, own_laps_ = 0;
  windows_.clear();
}

void LapContest::has_replaced(std::size_t entrant) {
  entrants_[entrant].guess = std::exchange(entrants_[last_].guess, 0);
  last_ = entrant;
}

void LapContest::leave_out(std::size_t entrant, std::string why) {
  Entrant& who = entrants_[entrant];
  if (!who.quotients.empty()) who.guess = who.median;
  who.state = State::out;
  who.why = std::move(why);
}

/// Laps of the leader between bouts, or since it was decided.
void LapContest::watch(double lap, long laps) {
  own_seconds_ += lap * static_cast<double>(laps), own_laps_ += laps;
  if (disappointing_ > 0 && own_laps_ >= laps_to_see) {
    if (own_seconds_ > disappointing_ * static_cast<double>(own_laps_)) {
      try_again(last_);
      entrants_[last_].guess = 1;
      entrants_[last_].least = bouts_to_see;
    }
    disappointing_ = 0;
  }
  lap_ = lap_ > 0 ? lap_ + (lap - lap_) / 4 : lap;
  if (!decided()) return windows_.clear();
  if (windows_.size() < usual_windows) {
    windows_.push_back(lap);
    strange_ = 0;
    if (windows_.size() < usual_windows) return;
    const base::Interval usual = base::median(windows_);
    usual_ = usual.value;
    std::vector<double> off;
    for (const double window : windows_) off.push_back(std::abs(window - usual_));
    spread_ = std::max(rules_.drift * usual_, 6 * base::median(off).value);
    return;
  }
  strange_ = std::abs(lap - usual_) > spread_ ? strange_ + 1 : 0;
  if (strange_ >= static_cast<int>(strange_windows) && elapsed_ >= not_before_) reopen();
}

void LapContest::reopen() {
  ++contests_;
  not_before_ = 2 * elapsed_;
  windows_.clear();
  for (std::size_t i = 0; i < entrants_.size(); ++i) {
    const Entrant& who = entrants_[i];
    if (i == leader_ || who.guess == 0 || who.guess > worth_another) continue;
    try_again(i);
  }
}

void LapContest::try_again(std::size_t entrant) {
  Entrant& who = entrants_[entrant];
  who.state = State::waits;
  who.why.clear();
  who.forget();
  who.least = 0;
}

}  // namespace halocline::detail
