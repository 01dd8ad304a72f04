#include "lap_contest.hpp"

#include "base/logarithm.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

namespace halocline::detail {

namespace {

constexpr int first_laps = 128;  // which tell how long they are and after how many they repeat
constexpr std::size_t longest_period = 32, least_cycles = 4;
constexpr double repeats = 0.5;        // so much of what laps differ by comes again after a period
constexpr double uneven = 0.2;         // from one lap to the next: is their work the same?
constexpr double unknown_guess = 1.5;  // times as long as the leader: who was never tried
constexpr double obvious = 1.1;        // in each of three bouts: no interval is needed
constexpr double worth_another = 1.5;  // who took longer is not asked again
constexpr int most_confirmations = 2;  // of one entrant because another thing has changed
constexpr int unequal_steps = 4;       // laps
constexpr double worse_mean = 4, doubtful_mean = 2;  // standard errors of the mean difference
constexpr std::size_t bouts_for_a_mean = 16;
// The leader may be slow now and then, which takes so many laps to be seen. If half of what it has
// won by is not there, the last leader meets it so often again.
constexpr long laps_to_see = 400;
constexpr std::size_t most_bouts = 1 << 16;  // who is no faster after so many is out
constexpr std::size_t bouts_to_see = 256;
constexpr std::size_t usual_windows = 8, strange_windows = 4;
constexpr int least_window = 10;  // laps
constexpr double most_turn = 1000, most_rest = 1e6;

/// What of the variance of these values comes again after `period` of them, less what chance
/// explains with so many means.
double coming_again(std::span<const double> values, std::size_t period) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double within = 0, all = 0;
  for (std::size_t phase = 0; phase < period; ++phase) {
    double sum = 0, count = 0;
    for (std::size_t i = phase; i < values.size(); i += period) sum += values[i], ++count;
    for (std::size_t i = phase; i < values.size(); i += period) {
      within += (values[i] - sum / count) * (values[i] - sum / count);
      all += (values[i] - mean) * (values[i] - mean);
    }
  }
  return all > 0 ? 1 - within / all * (n - 1) / (n - static_cast<double>(period)) : 0;
}

/// After how many laps they repeat: the shortest period that explains nearly as much as any; 1 if
/// none explains much.
std::size_t period_of(std::span<const double> laps) {
  std::vector<double> logs;
  for (const double lap : laps) logs.push_back(base::logarithm(std::max(lap, 1e-12)));
  std::vector<double> shares(longest_period + 1);
  for (std::size_t m = 2; m <= longest_period && m * least_cycles <= laps.size(); ++m)
    shares[m] = coming_again(logs, m);
  const double most = std::ranges::max(shares);
  if (most < repeats) return 1;
  return static_cast<std::size_t>(
      std::ranges::find_if(shares, [most](double share) { return share >= 0.9 * most; }) -
      shares.begin());
}

/// Mean over its standard error.
double excess(std::span<const double> differences) {
  const auto n = static_cast<double>(differences.size());
  const double sum = std::accumulate(differences.begin(), differences.end(), 0.0);
  double squares = 0;
  for (const double d : differences) squares += (d - sum / n) * (d - sum / n);
  return squares > 0 ? sum / std::sqrt(squares / (n - 1) * n) : 0;
}

/// The share by which a lap usually differs from the one so many later.
double difference(std::span<const double> laps, std::size_t later) {
  std::vector<double> steps;
  for (std::size_t i = later; i < laps.size(); ++i)
    if (laps[i - later] > 0 && laps[i] > 0)
      steps.push_back(std::abs(base::logarithm(laps[i] / laps[i - later])));
  return base::median(steps).value;
}

}  // namespace

LapContest::LapContest(std::vector<std::string> names, Rules rules) : rules_(rules) {
  for (std::string& name : names) enter(std::move(name));
  entrants_[leader_].state = State::leads;
}

void LapContest::enter(std::string name, double guess, std::size_t of) {
  entrants_.push_back({.name = std::move(name), .guess = guess, .of = of});
}

bool LapContest::decided() const {
  return !next();
}

base::Interval LapContest::times(std::size_t entrant) const {
  return base::median(entrants_[entrant].quotients);
}

bool LapContest::may_return(std::size_t entrant) const {
  const double guess = entrants_[entrant].guess;
  return guess > 0 && guess <= worth_another;
}

double LapContest::looks_like(const Entrant& entrant) const {
  if (!entrant.quotients.empty()) return entrant.median;
  return entrant.guess > 0 ? entrant.guess : unknown_guess;
}

/// The one that seems faster than the leader, the fastest first, so that little is lost until it
/// leads; else the likeliest that was not tried yet and whose set-up is paid for; else the one that
/// has met the leader least; else one whose set-up is not paid for yet.
std::optional<std::size_t> LapContest::next() const {
  std::optional<std::size_t> best;
  const double left = rules_.regret * elapsed_ - cost_ - at_risk_;
  const auto rank = [&](std::size_t i) {
    const Entrant& entrant = entrants_[i];
    const double times = looks_like(entrant), set_up = entrant.set_up;
    if (!entrant.quotients.empty() && times < 1) return std::tuple(0, times, 0.0);
    if (entrant.quotients.empty())
      return std::tuple(set_up > 0 && set_up > left ? 3 : 1, times, set_up);
    return std::tuple(2, static_cast<double>(entrant.quotients.size()), 0.0);
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
    // As few laps as tell anything at first sight: who knows how long they take.
    const int laps = who.quotients.empty() ? first_sight_ : turn_laps_;
    const double costs = std::max(0.0, looks_like(who) - 1) * lap_ * (laps + 1) + who.set_up;
    const double short_of = (cost_ + at_risk_ + costs) / rules_.regret - elapsed_;
    if (short_of > 0) {
      batch.turns = rest(short_of);
    } else {
      // Chance says who is the first, so that neither is favoured, whatever disturbs laps; and
      // bouts follow in unequal steps, which meet the long laps of a period now here, now there.
      const int free = 1 + static_cast<int>(dice_() >> 8) % unequal_steps;
      if (dice_() >> 8 & 1)
        batch.turns = {{leader_, free, laps}, {*entrant, 1, laps}};
      else
        batch.turns = {{leader_, 0, free}, {*entrant, 1, laps}, {leader_, 1, laps}};
      batch.expected = costs;
      at_risk_ += costs;
      who.state = State::runs;
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
    const double leaders = batch.turns.size() == 2 ? seconds[0] : seconds[2];
    double& cost = entrants_[entrant].cost;  // what hits the one or the other makes no difference
    const double before = std::exchange(cost, cost + (seconds[1] - leaders) * (warm + laps));
    cost_ += std::max(0.0, cost) - std::max(0.0, before);
    // Another leads since then, or it is out.
    if (batch.leader == leader_ && entrants_[entrant].state == State::runs)
      meet(entrant, seconds[1], leaders);
  }
  if (decided()) confirm();
}

/// The shortest turns that clocks can time; of whole periods where most laps differ from the next.
/// (A few long ones among many that are alike do no harm to medians.)
void LapContest::listen(std::span<const double> seconds) {
  lap_ = base::median(seconds).value;
  differ_ = difference(seconds, 1);
  const std::size_t period = period_of(seconds);
  period_ = static_cast<int>(period);
  first_sight_ = differ_ > 2 * difference(seconds, period) ? period_ : 1;
  const double mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) / first_laps;
  const double least = std::clamp(rules_.turn_s / std::max(mean, 1e-9), 1.0, most_turn);
  turn_laps_ = static_cast<int>(std::ceil(least / first_sight_)) * first_sight_;
}

std::string LapContest::likeness() const {
  if (turn_laps_ == 0) return {};
  std::string text =
      base::formatted("%.3g s a lap, %.2g %% from one to the next", lap_, 100 * differ_);
  if (period_ > 1) base::append(text, "; they repeat after %d", period_);
  if (first_sight_ == 1 && differ_ > uneven)
    text += "; if their work differs, say how much each has";
  return text;
}

void LapContest::meet(std::size_t entrant, double mine, double leaders) {
  Entrant& who = entrants_[entrant];
  std::vector<double>& all = who.quotients;
  all.insert(std::ranges::upper_bound(all, mine / leaders), mine / leaders);
  who.differences.push_back(mine - leaders);
  who.median = (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2;
  lap_ += (leaders - lap_) / 16;
  if (who.quotients.size() >= who.next_look) judge(entrant);
}

void LapContest::judge(std::size_t entrant) {
  Entrant& who = entrants_[entrant];
  const std::vector<double>& quotients = who.quotients;
  const std::size_t n = quotients.size();
  const auto look = static_cast<double>(++who.looks);
  who.next_look = std::max(n + 1, n + n / 4);
  who.judged = changed_.size();

  const double least = quotients.front();
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
    return leave_out(entrant, base::formatted("%.3g times as long in %zu bouts", who.median, n));
  if (n >= most_bouts)
    leave_out(entrant, base::formatted("%.3g times as long, or not, in %zu bouts", who.median, n));
}

void LapContest::crown(std::size_t entrant) {
  const double gain = entrants_[entrant].median;
  const std::size_t last = leader_;
  leader_ = entrant;
  for (Entrant& other : entrants_) {
    if (tries(static_cast<std::size_t>(&other - entrants_.data())))
      other.guess = (other.quotients.empty() && other.guess == 0 ? 0 : looks_like(other) / gain);
    if (&other == &entrants_[entrant]) continue;  // what it won by
    other.forget();
  }
  changed_.push_back(entrants_[entrant].of);
  entrants_[entrant].state = State::leads;
  entrants_[last].state = State::out;
  entrants_[last].judged = changed_.size();
  entrants_[last].guess = 1 / gain;
  entrants_[last].why =
      base::formatted("%.3g times as long as %s", 1 / gain, entrants_[entrant].name.c_str());
  // The one before it has not been looked at for long enough.
  if (disappointing_ > 0) entrants_[last_].unseen = true;
  const double own = own_laps_ > 0 ? own_seconds_ / static_cast<double>(own_laps_) : lap_;
  disappointing_ = own * (1 + gain) / 2;
  lap_ *= gain;
  last_ = last;
  own_seconds_ = 0, own_laps_ = 0;
  windows_.clear();
}

void LapContest::has_replaced(std::size_t entrant) {
  entrants_[entrant].guess = std::exchange(entrants_[last_].guess, 0);
  entrants_[entrant].why = std::exchange(entrants_[last_].why, {});
  entrants_[entrant].judged = std::exchange(entrants_[last_].judged, never);
  last_ = entrant;
}

/// What was the best of one thing beside the last choice of another need not be beside this one.
void LapContest::confirm() {
  for (std::size_t i = 0; i < entrants_.size(); ++i) {
    Entrant& who = entrants_[i];
    if (who.state != State::out || who.judged == never || !may_return(i) ||
        who.confirmations == most_confirmations ||
        std::all_of(changed_.begin() + static_cast<std::ptrdiff_t>(who.judged), changed_.end(),
                    [&](std::size_t of) { return of == who.of; }))
      continue;
    ++who.confirmations;
    try_again(i);
    if (who.unseen) who.least = bouts_to_see;
  }
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
  listens_ = false;  // laps may repeat in another way
  for (std::size_t i = 0; i < entrants_.size(); ++i) {
    Entrant& who = entrants_[i];
    who.confirmations = 0;
    if (i == leader_ || !may_return(i)) continue;
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
