#include "tournament.hpp"

#include <halocline/wait.hpp>

#include <algorithm>
#include <cstdio>

namespace halocline::detail {

namespace {

constexpr double measurement = 50e-6;  // seconds, so that the clock's steps do not matter
constexpr int longest_batch = 2000;
constexpr double hopeless = 3;  // times as long as the best at first sight
const char* const what = "auto: the other ranks";

}  // namespace

Tournament::Tournament(const Setup& setup, const Json& machine, const std::string& choices,
                       double budget, Make make)
    : setup_(setup), make_(std::move(make)), machine_(machine), budget_(budget), cells_(setup) {
  if (mpi::rank(setup.comm) == 0) note_.emplace(choices);
  Probe yardstick(this->make("p2p:nonblocking"), cells_);
  bool kept = true;
  for (int set = 0; set < 2; ++set) expected_[set] = yardstick.arrived(cells_, set, kept);
}

std::unique_ptr<Method> Tournament::make(const Scheme& scheme) {
  if (note_) note_->measuring(machine_, scheme.str());
  return make_(
      {mpi::Comm::duplicate(setup_.comm), setup_.pattern, setup_.fields, scheme, setup_.two_way});
}

void Tournament::settle(std::vector<double>& values) {
  values.push_back(std::chrono::duration<double>(Clock::now() - begin_).count());
  MPI_Request request = MPI_REQUEST_NULL;
  HALOCLINE_MPI(MPI_Iallreduce, MPI_IN_PLACE, values.data(), static_cast<int>(values.size()),
                MPI_DOUBLE, MPI_MAX, setup_.comm, &request);
  wait(what, request);
  elapsed_ = values.back();
  values.pop_back();
}

bool Tournament::knows(const Scheme& scheme) const {
  return std::any_of(competitors_.begin(), competitors_.end(),
                     [&](const Competitor& one) { return one.scheme == scheme; });
}

void Tournament::leave_out(const Scheme& scheme, std::string why) {
  competitors_.push_back({.scheme = scheme});
  race_.drop(race_.enter(scheme.str()), std::move(why));
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
  std::vector<double> refused{refusal.empty() ? 0.0 : 1.0};
  settle(refused);
  if (refused[0] > 0) return leave_out(scheme, "refused: " + refusal);
  if (!right(*probe)) {
    if (mpi::rank(setup_.comm) == 0)
      std::fprintf(stderr, "halocline: auto: %s gives wrong data here and is left out\n",
                   scheme.str().c_str());
    return leave_out(scheme, "wrong: not the bytes that p2p:nonblocking delivers");
  }

  const std::size_t runner = race_.enter(scheme.str());
  competitors_.push_back({.scheme = scheme, .probe = std::move(probe)});
  const double seconds = first_sight(runner);
  if (best_ == 0 || seconds < best_) best_ = seconds;
  if (seconds > hopeless * best_) {
    char why[80];
    std::snprintf(why, sizeof why, "at first sight: %.3g times as long", seconds / best_);
    race_.drop(runner, why);
    dismiss();
  }
}

/// Both sets of test values, and the first once more: what is used in turn has had its turn.
bool Tournament::right(Probe& probe) {
  std::vector<double> wrong{0};
  for (const int set : {0, 1, 0}) {
    bool kept = true;
    if (probe.arrived(cells_, set, kept) != expected_[set] || !kept) wrong[0] = 1;
  }
  settle(wrong);
  return wrong[0] == 0;
}

/// Three single exchanges say how many make a measurement; then come three of those. The shortest
/// counts: a rank that the system has put aside makes the others many times as long.
double Tournament::first_sight(std::size_t runner) {
  Competitor& competitor = competitors_[runner];
  std::vector<double> seconds(3);
  for (int pass = 0; pass < 2; ++pass) {
    for (double& one : seconds)
      one = competitor.probe->seconds(competitor.batch) / competitor.batch;
    settle(seconds);
    const double shortest = *std::min_element(seconds.begin(), seconds.end());
    // Ten times as long as the best is enough to know.
    if (best_ > 0 && shortest > 10 * best_) break;
    const int batch =
        static_cast<int>(std::clamp(measurement / shortest, 1.0, double{longest_batch}));
    if (pass == 0 && batch == 1) break;
    competitor.batch = batch;
  }
  for (const double one : seconds) race_.add(runner, one);
  return *std::min_element(seconds.begin(), seconds.end());
}

std::vector<double> Tournament::measure(const std::vector<std::size_t>& visits) {
  std::vector<double> seconds;
  seconds.reserve(visits.size() + 1);
  for (const std::size_t runner : visits) {
    Competitor& competitor = competitors_[runner];
    if (note_) note_->measuring(machine_, competitor.scheme.str());
    seconds.push_back(competitor.probe->seconds(competitor.batch) / competitor.batch);
  }
  settle(seconds);
  return seconds;
}

void Tournament::race(int most) {
  race_.run([this](const auto& visits) { return measure(visits); },
            [this] { return budget_ - elapsed_; }, most);
  dismiss();
}

double Tournament::look() {
  const std::size_t runner = race_.leader();
  for (const double seconds : measure(std::vector<std::size_t>(10, runner)))
    race_.add(runner, seconds);
  return race_.of(runner).median;
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
  note_.reset();
  return method;
}

}  // namespace halocline::detail
