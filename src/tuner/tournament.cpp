#include "tournament.hpp"

#include "base/text.hpp"
#include "mpi/under_way.hpp"

#include <halocline/more/tuner.hpp>
#include <halocline/more/waiting.hpp>
#include <halocline/wait.hpp>

#include <algorithm>

namespace halocline::detail {

namespace {

// Seconds of a measurement, so that the clock's steps do not matter; where ranks outnumber cores,
// so that all of them have their turn.
constexpr double measurement = 50e-6, measurement_in_turns = 500e-6;
constexpr int longest_batch = 2000;
// Single exchanges tell what the ranks' distance at the beginning costs: so many, if they do not
// take too long.
constexpr double least_batch = 4, too_long = 2e-3;
constexpr double hopeless = 3;  // times as long as the best at first sight
// What takes that many times as long in the first three exchanges, and so many seconds, is hopeless
// without a measurement. In those the ranks have other things to do between exchanges.
constexpr double hopeless_at_once = 10, matters = 5e-3;
constexpr double longest_look = 0.02;  // part of the budget, for a candidate that looks hopeless
const char* const what = "auto: the other ranks";

}  // namespace

Tournament::Tournament(const Setup& setup, double budget, Announce announce, Make make)
    : setup_(setup),
      make_(std::move(make)),
      announce_(std::move(announce)),
      budget_(budget),
      cells_(setup) {
  Probe yardstick(this->make("p2p:nonblocking"), cells_);
  bool kept = true;
  for (int set = 0; set < 2; ++set) expected_[set] = yardstick.arrived(set, kept);
}

std::unique_ptr<Method> Tournament::make(const Scheme& scheme) {
  if (announce_) announce_(scheme.str());
  return make_(setup_.another(scheme, setup_.pattern));
}

void Tournament::settle(std::vector<double>& values) {
  values.push_back(std::chrono::duration<double>(Clock::now() - begin_).count());
  Pending<std::vector<double>> settled(std::move(values));
  HALOCLINE_MPI(MPI_Iallreduce, MPI_IN_PLACE, settled->data(), static_cast<int>(settled->size()),
                MPI_DOUBLE, MPI_MAX, setup_.comm, &settled.request());
  wait_one(what, settled.request());
  values = std::move(*settled);
  elapsed_ = values.back();
  values.pop_back();
}

bool Tournament::knows(const Scheme& scheme) const {
  return std::any_of(competitors_.begin(), competitors_.end(),
                     [&](const Competitor& one) { return one.scheme == scheme; });
}

void Tournament::leave_out(const Scheme& scheme, std::string why) {
  competitors_.push_back({.scheme = scheme});
  race_.drop(race_.enter(scheme.str()), 0, std::move(why));
}

void Tournament::enter(const Scheme& scheme) {
  ++tried_;
  std::string refusal;
  std::optional<Probe> probe;
  try {
    probe.emplace(make(scheme), cells_);
  } catch (const Timeout&) {
    throw;  // the ranks are no longer together
  } catch (const Error& problem) {
    refusal = problem.what();  // the same on all ranks
  }
  std::vector<double> found{refusal.empty() ? 0.0 : 1.0,
                            probe ? static_cast<double>(probe->avoidable_bytes()) : 0.0};
  settle(found);
  if (found[0] > 0) return leave_out(scheme, "refused: " + refusal);
  double once = 0;
  if (!right(*probe, once)) {
    if (mpi::rank(setup_.comm) == 0)
      Tuning::tell("auto: " + scheme.str() + " gives wrong data here and is left out");
    return leave_out(scheme, "wrong: not the bytes that p2p:nonblocking delivers");
  }

  const std::size_t runner = race_.enter(scheme.str(), scheme.method());
  competitors_.push_back(
      {.scheme = scheme, .probe = std::move(probe), .avoidable_bytes = found[1]});
  double times = once / best_;
  if (favourite_ && once > matters && times > hopeless_at_once)
    race_.add(runner, once);
  else
    times = first_sight(runner);
  if (times > hopeless) {
    race_.drop(runner, times, base::formatted("at first sight: %.3g times as long", times));
    dismiss();
  }
}

/// Both sets of test values, and the first once more: what is used in turn has had its turn.
/// `once` becomes the seconds that an exchange took, the median of the three.
bool Tournament::right(Probe& probe, double& once) {
  std::vector<double> found{0};
  for (const int set : {0, 1, 0}) {
    bool kept = true;
    const auto begin = Clock::now();
    if (probe.arrived(set, kept) != expected_[set] || !kept) found[0] = 1;
    found.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  settle(found);
  once = base::median(std::span(found).subspan(1)).value;
  return found[0] == 0;
}

/// How many exchanges make a measurement. An exchange of many may take a small part of a single
/// one, so that it takes several tries.
void Tournament::find_batch(Competitor& competitor) {
  const double enough = Patience::yields() ? measurement_in_turns : measurement;
  for (int tries = 0; tries < 3; ++tries) {
    std::vector<double> seconds(3);
    for (double& one : seconds)
      one = competitor.probe->seconds(competitor.batch) / competitor.batch;
    settle(seconds);
    const double once = base::median(seconds).value;
    const double wanted = std::max(enough / once, std::min(least_batch, too_long / once));
    const int before = std::exchange(
        competitor.batch, static_cast<int>(std::clamp(wanted, 1.0, double{longest_batch})));
    if (competitor.batch < 2 * before) return;
  }
}

/// Three measurements in turns with the favourite, so that what the machine does meanwhile concerns
/// both. How many times as long it takes at its best; the favourite counts by its mean, or one that
/// is fast now and then would keep all others out.
double Tournament::first_sight(std::size_t runner) {
  const double begin = elapsed_;
  find_batch(competitors_[runner]);
  double mine = 0, other = 0, least = 0, times = 1;
  for (int turn = 1; turn <= 3; ++turn) {
    const std::vector<double> seconds =
        measure(favourite_ ? std::vector{*favourite_, runner} : std::vector{runner});
    race_.add(runner, seconds.back());
    mine += seconds.back();
    other += seconds.front();
    least = turn == 1 ? seconds.back() : std::min(least, seconds.back());
    times = least * turn / other;
    if (!favourite_ || mine < other) {
      best_ = mine / turn;
    } else {
      best_ = other / turn;
      if (times > hopeless && elapsed_ - begin > longest_look * budget_) return times;
    }
  }
  if (!favourite_ || mine < other) favourite_ = runner;
  return times;
}

std::vector<double> Tournament::measure(const std::vector<std::size_t>& visits) {
  std::vector<double> seconds;
  seconds.reserve(visits.size() + 1);
  for (const std::size_t runner : visits) {
    Competitor& competitor = competitors_[runner];
    if (announce_) announce_(competitor.scheme.str());
    seconds.push_back(competitor.probe->seconds(competitor.batch) / competitor.batch);
  }
  settle(seconds);
  return seconds;
}

void Tournament::race(int most) {
  race_.run([this](const auto& visits) { return measure(visits); },
            [this] { return budget_ - elapsed_; }, most);
  favourite_ = race_.leader();
  dismiss();
}

double Tournament::look() {
  const std::size_t runner = race_.leader();
  for (const double seconds : measure(std::vector<std::size_t>(10, runner)))
    race_.add(runner, seconds);
  return race_.of(runner).value;
}

/// Those dropped give their windows and memory back, on all ranks in the same order.
void Tournament::dismiss() {
  for (std::size_t i = 0; i < competitors_.size(); ++i)
    if (!race_.runners()[i].dropped.empty()) competitors_[i].probe.reset();
}

std::unique_ptr<Method> Tournament::winner() {
  const std::size_t first = race_.leader();
  std::unique_ptr<Method> method = competitors_[first].probe->take();
  // Neighbours may read my cells until they, too, have come here.
  std::vector<double> met;
  settle(met);
  for (Competitor& competitor : competitors_) competitor.probe.reset();
  cells_.restore();
  announce_ = nullptr;
  return method;
}

}  // namespace halocline::detail
