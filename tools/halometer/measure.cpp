#include "measure.hpp"

#include <halocline/more/mpi.hpp>
#include <halocline/more/waiting.hpp>
#include <halocline/wait.hpp>

#include <sys/resource.h>
#include <algorithm>
#include <array>

namespace halometer {

using namespace halocline;

namespace {

constexpr double shortest_margin_s = 5e-6, longest_margin_s = 1e-3;
constexpr int most_late_in_turn = 20;
constexpr double refresh_s = 1;  // clocks drift: look at them so often
// A loop's steps, two of which, one for each of its fields, go before and are not timed: so many at
// least, unless they take long.
constexpr std::size_t least_steps = 8, most_steps = 4096;
constexpr double shortest_loop_s = 1e-3, long_loop_s = 2e-3;

/// Maxima over all ranks. Yields where ranks outnumber cores, which MPI_Allreduce may not.
template <std::size_t N>
std::array<double, N> maxima(MPI_Comm comm, std::array<double, N> values) {
  MPI_Request request = MPI_REQUEST_NULL;
  HALOCLINE_MPI(MPI_Iallreduce, MPI_IN_PLACE, values.data(), static_cast<int>(N), MPI_DOUBLE,
                MPI_MAX, comm, &request);
  wait_one("halometer: the other ranks", request);
  return values;
}

/// How often this process was made to give up its core.
long switches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

}  // namespace

struct Measurement::Runner {
  Measured* result;
  std::unique_ptr<Work> work;
  std::size_t least, next_look = least;  // samples
  double shortest = 0;                   // step, of the first few
  bool done = false;

  /// Samples that began in different ways do not belong together.
  void forget() {
    result->samples.clear();
    result->disturbed.clear();
    result->own.clear();
    if (result->felt) result->felt->with.clear(), result->felt->without.clear();
    next_look = least;
    done = false;
  }
};

Measurement::Measurement(MPI_Comm comm, Limits limits)
    : comm_(comm), limits_(limits), clock_(comm), draw_(limits.seed), margin_(shortest_margin_s) {
  began_ = now_ = maxima<1>(comm_, {clock_.now()})[0];
}

std::vector<Measured> Measurement::run(const Group& group, std::size_t groups_left) {
  std::vector<Measured> results;
  std::vector<Runner> runners = make(group, results);
  clock_.refresh();
  now_ = maxima<1>(comm_, {clock_.now()})[0];
  const double group_end =
      now_ + std::max(0.0, began_ + limits_.budget_s - now_) / static_cast<double>(groups_left);
  prepare(runners);

  double refreshed = now_;
  std::vector<Runner*> turn;
  const auto all_again = [&] {
    turn.clear();
    for (Runner& runner : runners) turn.push_back(&runner);
  };
  all_again();
  for (bool first = true; !turn.empty() && (first || now_ < group_end); first = false) {
    if (now_ - refreshed > refresh_s) {
      clock_.refresh();
      refreshed = now_;
    }
    std::shuffle(turn.begin(), turn.end(), draw_);
    const bool by_clock = by_clock_;
    for (Runner* runner : turn) {
      if (!sample(*runner)) continue;
      if (runner->result->samples.size() >= runner->next_look) look(*runner);
    }
    std::erase_if(turn, [](const Runner* runner) { return runner->done; });
    if (by_clock != by_clock_) {
      for (Runner& runner : runners) runner.forget();
      all_again();
    }
  }
  for (Runner& runner : runners) conclude(runner);
  group.conclude(results);
  return results;
}

std::vector<Measurement::Runner> Measurement::make(const Group& group,
                                                   std::vector<Measured>& results) {
  for (const Contender& contender : group.contenders)
    results.push_back(
        {.scheme = contender.scheme, .parameters = contender.parameters, .bytes = contender.bytes});
  std::vector<Runner> runners;
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::unique_ptr<Work> work;
    try {
      work = group.contenders[i].make();
    } catch (const Timeout&) {
      throw;
    } catch (const Error& refusal) {
      results[i].left_out = refusal.what();
      continue;
    }
    const std::string wrong = work->check();
    mpi::agree(comm_, wrong.empty() ? "" : group.title + ": " + results[i].scheme + ": " + wrong);
    results[i].result = work->result();
    runners.push_back({.result = &results[i],
                       .work = std::move(work),
                       .least = static_cast<std::size_t>(limits_.least)});
  }
  return runners;
}

/// Takes a step and, of work that has one, its loop with and without it; whether it counts.
bool Measurement::sample(Runner& runner) {
  Measured& result = *runner.result;
  const Sample alone = step(runner);
  bool late = alone.late, disturbed = alone.disturbed;
  double seconds[2] = {0, 0};
  if (result.felt)
    // Which of the two goes first changes: the second may find a warmer machine.
    for (const bool first : {true, false}) {
      const bool exchanging = first == (result.samples.size() % 2 == 0);
      const Sample taken = loop(runner, exchanging);
      seconds[exchanging] = taken.slowest;
      late |= taken.late, disturbed |= taken.disturbed;
    }
  if (late) {
    ++result.late;
    return false;
  }
  if (disturbed) result.disturbed.push_back(result.samples.size());
  result.samples.push_back(alone.slowest / static_cast<double>(result.batch));
  result.own.push_back(alone.mine / static_cast<double>(result.batch));
  if (result.felt) {
    result.felt->with.push_back(seconds[true] / static_cast<double>(result.felt->steps));
    result.felt->without.push_back(seconds[false] / static_cast<double>(result.felt->steps));
  }
  return true;
}

Measurement::Sample Measurement::step(Runner& runner) {
  Work& work = *runner.work;
  // What the contender before it has left in the caches shall not count.
  work.prepare();
  work.step();
  work.prepare();
  return timed(work.timed(), [&] { work.steps(runner.result->batch); });
}

Measurement::Sample Measurement::loop(Runner& runner, bool exchanging) {
  runner.work->loop(2, exchanging);
  return timed(true, [&] { runner.work->loop(runner.result->felt->steps, exchanging); });
}

/// What `body` takes from a common beginning; `counts` where this rank's time does.
template <class Body>
Measurement::Sample Measurement::timed(bool counts, Body&& body) {
  const long switched = switches();
  double begin = maxima<1>(comm_, {clock_.now()})[0] + margin_;
  bool late = false;
  if (by_clock_) {
    late = clock_.now() > begin;
    while (clock_.now() < begin) {
    }
  } else {
    begin = clock_.now();
  }
  body();
  const double end = clock_.now();

  const double mine = end - begin;
  const auto [slowest, any_late, disturbed, now] = maxima<4>(
      comm_, {counts ? mine : 0.0, late ? 1.0 : 0.0, switches() > switched ? 1.0 : 0.0, end});
  now_ = now;
  if (any_late > 0) {
    margin_ = std::min(2 * margin_, longest_margin_s);
    // Ranks that cannot keep an appointment start after a barrier.
    if (++late_in_turn_ > most_late_in_turn && limits_.start != Start::window) by_clock_ = false;
  } else {
    late_in_turn_ = 0;
    margin_ = std::max(0.95 * margin_, shortest_margin_s);
  }
  return {slowest, mine, any_late > 0, disturbed > 0};
}

/// How ranks begin, and how many steps a repetition has. These steps warm up as well.
void Measurement::prepare(std::vector<Runner>& runners) {
  by_clock_ = limits_.start == Start::window ||
              (limits_.start == Start::automatic && !Patience::current().yield);
  for (Runner& runner : runners) {
    find_batch(runner);
    // Batches are long enough for the clocks; single steps may not be.
    if (limits_.start == Start::automatic && runner.work->alone() &&
        runner.shortest < clock_.error())
      by_clock_ = false;
  }
  for (Runner& runner : runners) runner.result->late = 0;
}

/// Longer repetitions where one step is too short for the clocks.
void Measurement::find_batch(Runner& runner) {
  Measured& result = *runner.result;
  const double enough = runner.work->alone() ? 0 : std::max(20e-6, 50 * clock_.error());
  constexpr std::size_t most = 1 << 20;
  for (;; result.batch *= 2) {
    double shortest = 1e30;
    for (int i = 0; i < 3; ++i) shortest = std::min(shortest, step(runner).slowest);
    runner.shortest = shortest / static_cast<double>(result.batch);
    if (shortest >= enough || result.batch >= most) break;
  }
  if (!runner.work->has_loop()) return;
  Felt& felt = result.felt.emplace();
  for (felt.steps = 2; felt.steps < most_steps; felt.steps *= 2) {
    const double seconds = loop(runner, true).slowest;
    if (seconds >= (felt.steps < least_steps ? long_loop_s : shortest_loop_s)) break;
  }
}

/// Are the intervals narrow enough? Looks seldom, because looking takes time.
void Measurement::look(Runner& runner) {
  Measured& result = *runner.result;
  result.warm_up = warm_up(result.samples);
  const std::span counted = result.counted(result.samples);
  result.median = median(counted);
  result.narrow = counted.size() >= static_cast<std::size_t>(limits_.least) &&
                  result.median.width() <= limits_.width;
  if (result.felt) {
    Felt& felt = *result.felt;
    std::vector<double> added;
    for (std::size_t i = result.warm_up; i < felt.with.size(); ++i)
      added.push_back(felt.with[i] - felt.without[i]);
    felt.added = median(added);
    // What is hardly felt need not be known to a share of it.
    const double enough = limits_.width * std::max(felt.added.value, result.median.value);
    result.narrow = result.narrow && felt.added.high - felt.added.low <= enough;
  }
  runner.done = result.narrow || result.samples.size() >= static_cast<std::size_t>(limits_.most);
  runner.next_look = result.samples.size() + result.samples.size() / 5 + 1;
}

void Measurement::conclude(Runner& runner) {
  Measured& result = *runner.result;
  if (result.samples.empty()) {
    result.left_out = "no sample: a rank was late in all " + std::to_string(result.late) +
                      " repetitions; use --start barrier";
    return;
  }
  look(runner);
  result.by_clock = by_clock_;
  result.p5 = percentile(result.counted(result.samples), 0.05);
  result.p95 = percentile(result.counted(result.samples), 0.95);
  const double own = median(result.counted(result.own)).value;
  result.rank_medians.resize(static_cast<std::size_t>(mpi::size(comm_)));
  HALOCLINE_MPI(MPI_Allgather, &own, 1, MPI_DOUBLE, result.rank_medians.data(), 1, MPI_DOUBLE,
                comm_);
}

nlohmann::ordered_json Measurement::clock() const {
  const auto ranks = static_cast<std::size_t>(mpi::size(comm_));
  const ClockLine& line = clock_.line();
  const double mine[] = {line.offset, line.drift};
  std::vector<double> all(2 * ranks), offsets, drifts;
  HALOCLINE_MPI(MPI_Allgather, mine, 2, MPI_DOUBLE, all.data(), 2, MPI_DOUBLE, comm_);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    offsets.push_back(all[2 * rank]);
    drifts.push_back(all[2 * rank + 1]);
  }
  return {{"offset_s", offsets}, {"drift", drifts}, {"error_s", clock_.error()}};
}

}  // namespace halometer
