// auto: measures the other schemes when the exchange is made, and becomes the fastest of them.

#include "base/text.hpp"
#include "counsel.hpp"
#include "exchange/core/registry.hpp"
#include "running.hpp"

#include <halocline/more/tuner.hpp>

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace halocline::detail {

namespace {

constexpr double far_off = 3;          // times as long, or as short, as remembered
constexpr double close = 1.5;          // times as long as the best: options are worth a try
constexpr std::size_t most_close = 3;  // of so many that have options not tried yet
constexpr int waves = 6;               // of options: what they bring together shows in the next
constexpr int all_rounds = 60;         // of growing length, or as many as there is time for

/// The way from `auto` to a method. Collective; rank 0 asks the adviser and broadcasts the answer.
class Choice {
 public:
  explicit Choice(const Setup& setup) : setup_(setup) {}

  std::unique_ptr<Method> method() {
    const Situation here = situation(setup_);
    if (here.pattern.sizes[0] == 0) return plain();  // no links
    ranks_per_island_ = here.job.ranks_per_island;
    mpi::together(setup_.comm, [&] {
      if (mpi::rank(setup_.comm) == 0) adviser_ = make_adviser(setup_.scheme, here);
    });
    if (!take_remembered()) compete();
    auto method = tournament_->winner();
    if (adviser_) adviser_->conclude(*tournament_, method->setup().scheme.str(), !is_remembered_);
    end();
    return method;
  }

 private:
  /// Where nothing is sent there is nothing to choose.
  std::unique_ptr<Method> plain() const {
    return make_method(setup_.another("p2p:nonblocking", setup_.pattern));
  }

  void begin() {
    tournament_.emplace(setup_, budget_, adviser_ ? adviser_->announce() : Tournament::Announce());
  }
  void end() {
    if (tournament_) spent() += tournament_->elapsed();
    tournament_.reset();
  }

  /// Uses what the file knows, if it still delivers, and in about the time it took then.
  bool take_remembered() {
    std::string known;
    if (adviser_)
      known = base::text(budget()) + ' ' + base::text(adviser_->remembered_us()) + ' ' +
              adviser_->remembered();
    std::istringstream words(broadcast(setup_.comm, known));
    std::string seconds, time, name;
    words >> seconds >> time >> name;
    budget_ = base::number<double>(seconds).value_or(budget_);
    const double us = base::number<double>(time).value_or(0);
    if (name.empty()) return false;
    begin();
    tournament_->enter(name);
    std::string why;
    if (tournament_->nobody_left()) {
      why = "the choice known, " + name + ", " + tournament_->runners().runners()[0].dropped;
    } else {
      const double now = 1e6 * tournament_->look();
      // An entry written by hand may have no time.
      if (us == 0 || (now <= far_off * us && us <= far_off * now)) return is_remembered_ = true;
      why = base::formatted("the choice known, %s, takes %.3g µs now and took %.3g µs",
                            name.c_str(), now, us);
    }
    if (adviser_) adviser_->distrust(why);
    return false;
  }

  /// All choices of a process together take little more than one and a half times what one may.
  static double budget() {
    const double one = Tuning::current().budget;
    return std::clamp(1.5 * one - spent(), one / 10, one);
  }
  /// Seconds of this process.
  static double& spent() {
    static double seconds = 0;
    return seconds;
  }

  /// What rank 0 allows of its list; on all ranks, with the objections to the others.
  void enter(const std::vector<Scheme>& wanted, double part) {
    for (const auto& [scheme, objection] : counsel(setup_.comm, adviser_.get(), wanted)) {
      if (tournament_->knows(scheme)) continue;
      if (!objection.empty())
        tournament_->leave_out(scheme, objection);
      else if (tournament_->tried() > 0 && tournament_->spent(part))
        tournament_->leave_out(scheme, Tournament::no_time);
      else
        tournament_->enter(scheme);
    }
  }

  /// Options of those that came close, whether they are still in the race or not.
  std::vector<Scheme> more() const {
    const Race& race = tournament_->runners();
    std::vector<std::pair<double, std::string>> near;
    for (const Race::Runner& runner : race.runners())
      if (runner.times > 0) near.emplace_back(runner.times, runner.name);
    std::sort(near.begin(), near.end());
    const bool several = mpi::size(setup_.comm) > ranks_per_island_;
    std::vector<Scheme> list;
    std::size_t with_more = 0;
    for (const auto& [times, name] : near) {
      if (times > close * near.front().first || with_more == most_close) break;
      const std::size_t before = list.size();
      for (const Scheme& scheme :
           variants(name, setup_.scheme, several, !setup_.pattern.stages().empty()))
        if (!tournament_->knows(scheme) &&
            std::find(list.begin(), list.end(), scheme) == list.end())
          list.push_back(scheme);
      if (list.size() > before) ++with_more;
    }
    return list;
  }

  void compete() {
    end();
    begin();
    enter(adviser_ ? adviser_->first() : std::vector<Scheme>{}, 0.5);
    if (tournament_->nobody_left()) nobody();
    for (int wave = 0; wave < waves && !tournament_->spent(0.75); ++wave) {
      tournament_->race(3);
      const std::size_t known = tournament_->runners().runners().size();
      enter(adviser_ ? more() : std::vector<Scheme>{}, 0.75);
      if (tournament_->runners().runners().size() == known) break;
    }
    tournament_->race(all_rounds);
  }

  [[noreturn]] void nobody() {
    std::string all;
    for (const Race::Runner& runner : tournament_->runners().runners())
      all += "\n  " + runner.name + ": " + runner.dropped;
    tournament_.reset();  // in good order: no scheme is to blame
    throw Error(
        "auto: no candidate is left; look at \"pin\" and \"forbid\" in the file of choices" + all);
  }

  const Setup& setup_;
  std::unique_ptr<Adviser> adviser_;  // on rank 0
  std::optional<Tournament> tournament_;
  bool is_remembered_ = false;
  double budget_ = 0;
  int ranks_per_island_ = 1;
};

/// Arrays to measure on where each step is given others.
class StandIns {
 public:
  explicit StandIns(Setup& setup) {
    for (std::size_t f = 0; f < setup.fields.size(); ++f) {
      const Reach reach = setup.reach(f);
      memory_.emplace_back(reach.bytes());
      setup.fields[f].data = memory_.back().data() - reach.begin;
    }
  }

 private:
  std::vector<std::vector<std::byte>> memory_;
};

std::unique_ptr<Method> choose(Setup setup) {
  if (setup.scheme.is("when", "running")) return make_running(std::move(setup));
  std::optional<StandIns> arrays;
  if (setup.unbound) arrays.emplace(setup);
  return Choice(setup).method();
}

}  // namespace

MethodFacts automatic() {
  return {.name = "auto",
          .summary =
              "measures the others when the exchange is made, or in the program's own steps, and "
              "takes the fastest",
          .options = {{"access", {"copy", "any"}},
                      {"when", {"making", "running"}},
                      {"island",
                       {"node", "numa", "2"},
                       [](const std::string& text) { IslandSpec{text}; }}},
          .make = choose,
          .refusals = {},
          // What every candidate can work on.
          .memory = [](const Scheme&) { return MemoryKind::shared; },
          .reads_in_place = [](const Scheme& scheme) { return scheme.is("access", "any"); },
          .rebinds = [](const Scheme&) { return true; },  // so can all, by way of routes
          .chooses = true};
}

}  // namespace halocline::detail
