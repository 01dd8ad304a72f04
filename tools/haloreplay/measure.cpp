#include "measure.hpp"

#include "contender.hpp"

#include <base/text.hpp>
#include <machine/memory.hpp>

#include <halocline/error.hpp>
#include <halocline/more/global_clock.hpp>
#include <halocline/more/method.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/more/waiting.hpp>
#include <halocline/wait.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

namespace haloreplay {

using namespace halocline;

namespace {

constexpr std::size_t warm_up_steps = 2, least_steps = 4, most_steps = 4096;
constexpr double usual_sample = 1e-3, crowded_sample = 8e-3;  // seconds at least, if there is time
constexpr double longest_sample = 40e-3;
constexpr std::size_t rounds_hoped_for = 8;
constexpr std::size_t enough_to_be_slower = 6;
constexpr int exchanges_checked = 3;
constexpr double overtime = 0.5;  // of the pattern's time, for each to have one turn

/// For as long as it lives, waits give up after so many seconds.
class Limit {
 public:
  explicit Limit(double seconds) : before_(Patience::current().timeout) {
    Patience::current().timeout = std::chrono::duration<double>(seconds);
  }
  ~Limit() { Patience::current().timeout = before_; }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

 private:
  std::chrono::duration<double> before_;
};

/// The ranks meet. Gives cores away where they are few.
void meet() {
  MPI_Request request = MPI_REQUEST_NULL;
  HALOCLINE_MPI(MPI_Ibarrier, world(), &request);
  wait_one("haloreplay: the other ranks", request);
}

/// What one sample was.
struct Sample {
  double slowest = 0, mine = 0, inside = 0;  // seconds of a step
};

/// One contender at work.
struct Runner {
  Result* result;
  std::unique_ptr<Contender> contender{};  // none on a rank without messages
  bool of_mpi = false;                     // its waits cannot be given up
  bool done = false;
};

class Measurement {
 public:
  Measurement(const PlannedPattern& pattern, const Traffic& traffic, const Circumstances& all,
              bool& abandoned)
      : pattern_(pattern),
        traffic_(traffic),
        all_(all),
        abandoned_(abandoned),
        me_(mpi::rank(world())),
        began_(steady_seconds()),
        shortest_(Patience::current().crowded() ? crowded_sample : usual_sample),
        draw_(all.seed) {
    replayed_.name = pattern.name;
    replayed_.bytes = traffic.busiest_bytes();
    replayed_.recorded = pattern.recorded;
    replayed_.balanced = pattern.balanced;
  }

  Replayed run();

 private:
  const PlannedRank& mine() const { return pattern_.ranks[static_cast<std::size_t>(me_)]; }
  bool takes_part() const { return group_.comm.get() != MPI_COMM_NULL; }
  double elapsed() const { return steady_seconds() - began_; }

  void list_contenders();
  void make_group();
  void choose_lengths();
  void make(Runner& runner);
  void check(Runner& runner);
  void choose_steps(Runner& runner, std::size_t most);
  bool late(double share) const { return now_ > share * all_.seconds; }
  void turn(Runner& runner, std::size_t round);
  void take_turns();
  void look(std::size_t round);
  void conclude();

  /// Does something with a contender that may fail on some ranks. The same complaint on all, empty
  /// if it went well. `values` become their maxima over the ranks.
  std::string attempt(const std::function<void()>& body, std::vector<double>* values = nullptr);
  void leave_out(Runner& runner, const std::string& why);
  void steps(Runner& runner, const Computing& computing, bool exchanging, std::size_t first,
             std::size_t count, double& inside);
  Sample sample(Runner& runner, const Computing& computing, bool exchanging, std::size_t first,
                std::size_t count);
  template <class AnyResult>
  static auto& series(AnyResult& result, bool balanced) {
    return balanced ? result.balanced : result.recorded;
  }
  Runner& present_runner() { return runners_.front(); }

  const PlannedPattern& pattern_;
  const Traffic& traffic_;
  const Circumstances& all_;
  bool& abandoned_;
  int me_;
  double began_, now_ = 0;  // `now_` is agreed: seconds since the beginning
  double shortest_;         // sample
  Touched touched_{0};
  std::mt19937_64 draw_;
  Replayed replayed_{};
  Group group_{};
  std::optional<Ground> ground_{};
  std::vector<Runner> runners_{};
  Computing recorded_{}, balanced_{};  // this rank's
};

void Measurement::list_contenders() {
  const auto add = [&](const std::string& name) {
    for (const Result& known : replayed_.results)
      if (known.name == name) return;
    replayed_.results.push_back({.name = name});
  };
  add(present);
  for (const std::string& name : pattern_.alternatives) add(name);
  for (const std::string& name : pattern_.schemes) add(name);
  for (Result& result : replayed_.results)
    runners_.push_back({.result = &result, .of_mpi = result.name.starts_with("mpi:")});
}

void Measurement::make_group() {
  machine::check_memory(world(), static_cast<double>(mine().touch), "haloreplay");
  const std::vector<int> groups = traffic_.groups();
  const int own = groups[static_cast<std::size_t>(me_)];
  group_.comm = mpi::Comm::split(world(), own < 0 ? MPI_UNDEFINED : own);
  group_.here.assign(groups.size(), -1);
  int next = 0;
  for (std::size_t rank = 0; rank < groups.size(); ++rank)
    if (own >= 0 && groups[rank] == own) group_.here[rank] = next++;
  touched_ = Touched(mine().touch);
  if (takes_part()) {
    ground_.emplace(Ground{pattern_, traffic_, group_, me_, nullptr});
    ground_->plain = make_area(*ground_, MemoryKind::plain);
  }
}

std::string Measurement::attempt(const std::function<void()>& body, std::vector<double>* values) {
  std::string complaint;
  try {
    const Limit limit(all_.limit);
    body();
  } catch (const std::exception& problem) {
    complaint = words_of(problem);
    if (complaint.empty()) complaint = "unknown error";
  }
  // The others may wait in vain first, one after the other.
  const Limit limit(10 * all_.limit + 60);
  std::vector<std::int64_t> numbers{-static_cast<std::int64_t>(elapsed() * 1e9)};
  if (values != nullptr)
    for (const double value : *values)
      numbers.push_back(-static_cast<std::int64_t>(std::llround(value * 1e12)));
  try {
    numbers = mpi::agree(world(), complaint, std::move(numbers));
  } catch (const Timeout&) {
    throw;
  } catch (const mpi::CallFailed&) {
    throw;
  } catch (const Error& found) {
    return found.what();
  }
  now_ = static_cast<double>(-numbers[0]) * 1e-9;
  if (values != nullptr)
    for (std::size_t i = 0; i < values->size(); ++i)
      (*values)[i] = static_cast<double>(-numbers[i + 1]) * 1e-12;
  return {};
}

void Measurement::leave_out(Runner& runner, const std::string& why) {
  runner.result->left_out = why;
  runner.done = true;
  if (mpi::all_of(world(), !runner.contender)) return;
  abandoned_ = true;
  {
    const mpi::Abandoning alone(true);
    runner.contender.reset();
  }
  if (!takes_part()) return;
  // Late messages may still come into what was there.
  static std::vector<std::shared_ptr<Area>> kept;
  kept.push_back(std::exchange(ground_->plain, make_area(*ground_, MemoryKind::plain)));
}

void Measurement::make(Runner& runner) {
  Result& result = *runner.result;
  if (const auto found = all_.out.find(result.name); found != all_.out.end()) {
    result.left_out = found->second;
    runner.done = true;
    return;
  }
  if (all_.now) all_.now(result.name);
  const std::string complaint = attempt([&] {
    if (!result.name.starts_with("mpi:")) prepare(Scheme(result.name));
    if (takes_part()) runner.contender = make_contender(*ground_, result.name);
  });
  if (!complaint.empty()) {
    leave_out(runner, complaint);
    return;
  }
  check(runner);
}

void Measurement::check(Runner& runner) {
  std::string wrong;
  const std::string complaint = attempt([&] {
    const Computing nothing;
    for (std::size_t step = 0; step < exchanges_checked; ++step) {
      const std::uint64_t set = mixed(all_.seed) + step;
      if (runner.contender) runner.contender->fill(set, step);
      meet();
      if (runner.contender) {
        std::optional<Blocking> watched;
        if (runner.of_mpi) watched.emplace("haloreplay: a way of plain MPI");
        Step one(step, nothing);
        runner.contender->exchange(one);
        watched.reset();
      }
      meet();
      if (runner.contender && wrong.empty()) wrong = runner.contender->fault(set, step);
      meet();
    }
    if (!wrong.empty()) throw Error("wrong: " + wrong);
  });
  if (!complaint.empty()) leave_out(runner, complaint);
}

void Measurement::steps(Runner& runner, const Computing& computing, bool exchanging,
                        std::size_t first, std::size_t count, double& inside) {
  Contender* const contender = runner.contender.get();
  std::optional<Blocking> watched;
  if (runner.of_mpi && exchanging) watched.emplace("haloreplay: a way of plain MPI");
  inside = 0;
  for (std::size_t number = first; number < first + count; ++number) {
    touched_.sweep();
    computing.before(number);
    if (contender) contender->write(number);
    Step step(number, computing);
    if (contender && exchanging) {
      const double begin = steady_seconds();
      contender->exchange(step);
      inside += steady_seconds() - begin - step.aside();
    } else {
      step.compute_all();
    }
    if (contender) contender->read(number);
  }
}

/// Throws Error, on all ranks.
Sample Measurement::sample(Runner& runner, const Computing& computing, bool exchanging,
                           std::size_t first, std::size_t count) {
  std::vector<double> values{0};
  Sample sample;
  const std::string complaint = attempt(
      [&] {
        double inside = 0;
        steps(runner, computing, exchanging, first, warm_up_steps, inside);
        meet();
        const double begin = steady_seconds();
        steps(runner, computing, exchanging, first, count, inside);
        const auto each = static_cast<double>(count);
        sample.mine = (steady_seconds() - begin) / each;
        sample.inside = inside / each;
        if (takes_part()) values[0] = sample.mine;
      },
      &values);
  if (!complaint.empty()) throw Error(complaint);
  sample.slowest = values[0];
  return sample;
}

/// How long ranks compute: as in the plan, or shorter by one factor; without what the bytes of the
/// messages take.
void Measurement::choose_lengths() {
  const auto lengths_of = [&](const PlannedRank& rank) {
    Lengths lengths{rank.before, {}};
    for (const Action& action : rank.order)
      if (action.what == Action::compute) lengths.between.push_back(action.seconds);
    if (rank.order.empty()) lengths.between.push_back(rank.between);
    return lengths;
  };
  const std::vector<int> groups = traffic_.groups();
  double longest = 0, before = 0, between = 0, taking_part = 0;
  for (std::size_t rank = 0; rank < pattern_.ranks.size(); ++rank) {
    const Lengths lengths = lengths_of(pattern_.ranks[rank]);
    longest = std::max(longest, lengths.sum());
    if (groups[rank] < 0) continue;
    const double during = std::accumulate(lengths.between.begin(), lengths.between.end(), 0.0);
    before += lengths.sum() - during, between += during, taking_part += 1;
  }
  const double ways =
      (pattern_.recorded && pattern_.balanced ? 4 : 2) * static_cast<double>(runners_.size());
  const double there_is = all_.seconds / (ways * static_cast<double>(rounds_hoped_for) *
                                          static_cast<double>(warm_up_steps + least_steps));
  const double wanted = std::min(all_.longest, std::max(there_is, all_.longest / 25));
  const double scale = longest > wanted ? wanted / longest : 1;
  replayed_.scale = scale;

  const Lengths own = lengths_of(mine());
  constexpr double share = 0.5;  // of computing, in which memory is gone over
  touched_.take_at_most(share * scale * own.sum());

  // What a step takes in which nothing is computed.
  const Computing nothing;
  double busy = 1e9;
  for (int i = 0; i < 20; ++i)
    for (std::size_t count = least_steps; count <= most_steps; count *= 2) {
      const Sample taken = sample(present_runner(), nothing, false, 0, count);
      busy = std::min(busy, taken.mine);
      if (taken.slowest * static_cast<double>(count) > 0.2 * usual_sample) break;
    }
  const auto computing_of = [&](Lengths lengths) {
    for (double& one : lengths.before) one *= scale;
    for (double& one : lengths.between) one *= scale;
    return Computing(lengths, busy, all_.a_sum);
  };
  recorded_ = computing_of(own);
  Lengths mean{{before / std::max(taking_part, 1.0)}, own.between};
  const double during = std::accumulate(own.between.begin(), own.between.end(), 0.0);
  const double all_during = between / std::max(taking_part, 1.0);
  for (double& one : mean.between)
    one = during > 0 ? one / during * all_during
                     : all_during / static_cast<double>(mean.between.size());
  if (groups[static_cast<std::size_t>(me_)] < 0) mean = own;
  balanced_ = computing_of(mean);
}

/// Enough for the clocks, and no more than there is time for.
void Measurement::choose_steps(Runner& runner, std::size_t most) {
  const Computing& computing = pattern_.recorded ? recorded_ : balanced_;
  std::size_t count = 1;
  double seconds = 0;
  for (;; count *= 2) {
    seconds = sample(runner, computing, true, 0, count).slowest * static_cast<double>(count);
    if (seconds > all_.limit)
      throw Error(base::formatted("%zu steps take %.3g s, which is more than the limit of %g s",
                                  count, seconds, all_.limit));
    if (seconds >= shortest_ || count * 2 > most) break;
  }
  while (count < least_steps && count * 2 <= most && seconds * 2 < longest_sample)
    count *= 2, seconds *= 2;
  runner.result->steps = count;
}

void Measurement::turn(Runner& runner, std::size_t round) {
  Result& result = *runner.result;
  if (all_.now) all_.now(result.name);
  struct Part {
    bool balanced, exchanging;
  };
  std::vector<Part> parts;
  for (const bool balanced : {false, true})
    if (balanced ? pattern_.balanced : pattern_.recorded)
      for (const bool exchanging : {false, true}) parts.push_back({balanced, exchanging});
  // Not std::shuffle, whose result is not the same everywhere.
  for (std::size_t i = parts.size(); i > 1; --i) std::swap(parts[i - 1], parts[draw_() % i]);
  std::vector<Sample> taken(4);
  try {
    for (const Part& part : parts)
      taken[static_cast<std::size_t>(part.balanced) * 2 + part.exchanging] =
          sample(runner, part.balanced ? balanced_ : recorded_, part.exchanging,
                 round * result.steps, result.steps);
  } catch (const Timeout&) {
    throw;
  } catch (const Error& problem) {
    leave_out(runner, problem.what());
    return;
  }
  for (const bool balanced : {false, true}) {
    if (!(balanced ? pattern_.balanced : pattern_.recorded)) continue;
    Series& all = series(result, balanced);
    const std::size_t first = static_cast<std::size_t>(balanced) * 2;
    const Sample &without = taken[first], &with = taken[first + 1];
    all.with.push_back(with.slowest), all.without.push_back(without.slowest);
    all.mine.push_back(with.mine), all.alone.push_back(without.mine);
    all.inside.push_back(with.inside);
  }
}

Interval of_differences(const std::vector<double>& one, const std::vector<double>& other) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i)
    differences.push_back(one[i] - other[i]);
  return base::median(differences);
}

/// Finds out which contenders are done.
void Measurement::look(std::size_t round) {
  const bool balanced = pattern_.balanced;  // where late ranks do not hide differences
  const Series& now = series(*present_runner().result, balanced);
  const bool measured = present_runner().result->left_out.empty();
  const Interval felt = of_differences(now.with, now.without);
  const double enough = all_.width * std::max(felt.value, 0.01 * base::median(now.with).value);
  bool all_narrow = true;
  for (Runner& runner : runners_) {
    if (runner.done || !measured) continue;
    const Series& own = series(*runner.result, balanced);
    const bool is_present = &runner == &present_runner();
    const Interval saves =
        is_present ? of_differences(own.with, own.without) : of_differences(now.with, own.with);
    all_narrow = all_narrow && saves.high - saves.low <= enough;
    if (!is_present && round + 1 >= enough_to_be_slower && saves.high < 0 &&
        -saves.value > 0.5 * std::max(felt.value, 0.0)) {
      runner.result->slower = true;
      runner.done = true;
    }
  }
  if (measured && all_narrow && round + 1 >= enough_to_be_slower)
    for (Runner& runner : runners_) runner.done = true;
}

void Measurement::conclude() {
  const auto ranks = static_cast<std::size_t>(mpi::size(world()));
  const auto gathered = [&](const std::vector<double>& own) {
    const double median = base::median(own).value;
    std::vector<double> all(me_ == 0 ? ranks : 0);
    HALOCLINE_MPI(MPI_Gather, &median, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, 0, world());
    return all;
  };
  const Result& now = *present_runner().result;
  for (Result& result : replayed_.results)
    for (const bool balanced : {false, true}) {
      Series& all = series(result, balanced);
      all.felt = of_differences(all.with, all.without);
      all.step = base::median(all.with);
      all.saves = of_differences(series(now, balanced).with, all.with);
      all.ranks_mine = gathered(all.mine);
      all.ranks_alone = gathered(all.alone);
      all.ranks_inside = gathered(all.inside);
    }
}

void Measurement::take_turns() {
  Runner& first = present_runner();
  std::vector<Runner*> order;
  for (std::size_t round = 0; round < all_.rounds && !first.done; ++round) {
    order.clear();
    for (Runner& runner : runners_)
      if (!runner.done) order.push_back(&runner);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[draw_() % i]);
    // Without it the others say nothing.
    if (round == 0) std::iter_swap(order.begin(), std::ranges::find(order, &first));
    for (Runner* runner : order) {
      if (late(round == 0 ? 1 + overtime : 1) && !(round == 0 && runner == &first)) return;
      turn(*runner, round);
      if (first.done) return;
    }
    look(round);
  }
}

Replayed Measurement::run() {
  list_contenders();
  make_group();
  Runner& first = present_runner();
  for (Runner& runner : runners_)
    if (&runner == &first || (!first.done && !late(1))) make(runner);
  const auto prepare = [&](Runner& runner, const std::function<void()>& body) {
    if (runner.done) return;
    try {
      if (all_.now) all_.now(runner.result->name);
      body();
    } catch (const Timeout&) {
      throw;
    } catch (const Error& problem) {
      leave_out(runner, problem.what());
    }
  };
  prepare(first, [&] {
    choose_lengths();
    choose_steps(first, most_steps);
  });
  for (Runner& runner : runners_)
    if (&runner != &first && !first.done && !late(1))
      prepare(runner, [&] { choose_steps(runner, first.result->steps); });
  // Those that there was no time for.
  for (Runner& runner : runners_)
    if (runner.result->steps == 0) runner.done = true;
  take_turns();
  conclude();
  if (!first.result->left_out.empty())
    for (Result& result : replayed_.results)
      if (result.left_out.empty())
        result.left_out = std::string("not compared: ") + present + " could not be replayed";
  for (Result& result : replayed_.results)
    if (result.left_out.empty() && result.recorded.with.empty() && result.balanced.with.empty())
      result.left_out = "no time: the budget was over before its turn";
  // Windows and communicators end on all ranks in the same order.
  for (Runner& runner : runners_) runner.contender.reset();
  replayed_.seconds = now_;
  return std::move(replayed_);
}

}  // namespace

Replayed replay(const PlannedPattern& pattern, const Traffic& traffic,
                const Circumstances& circumstances, bool& abandoned) {
  return Measurement(pattern, traffic, circumstances, abandoned).run();
}

}  // namespace haloreplay
