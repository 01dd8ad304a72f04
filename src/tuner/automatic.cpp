// auto: measures the other schemes when the exchange is made, and becomes the fastest of them.

#include "candidates.hpp"
#include "choices.hpp"
#include "exchange/methods.hpp"
#include "situation.hpp"
#include "tournament.hpp"

#include <halocline/tuner.hpp>
#include <halocline/wait.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

namespace halocline::detail {

namespace {

constexpr double far_off = 3;          // times as long, or as short, as remembered
constexpr double close = 1.5;          // times as long as the best: options are worth a try
constexpr std::size_t most_close = 3;  // of so many
constexpr double slow_elsewhere = 4;   // times as long as the best for a similar pattern
constexpr int waves = 3;               // of options: what they bring together shows in the next
constexpr double most_jobs = 5;        // that go on where the time was too short for one
constexpr int all_rounds = 60;
constexpr const char* no_time = "not tried: the time was up";

/// Rank 0's words on all ranks.
std::string tell(MPI_Comm comm, std::string words) {
  const Blocking guard("auto: rank 0, which reads the file of choices");
  auto size = static_cast<std::int64_t>(words.size());
  HALOCLINE_MPI(MPI_Bcast, &size, 1, MPI_INT64_T, 0, comm);
  words.resize(static_cast<std::size_t>(size));
  HALOCLINE_MPI(MPI_Bcast, words.data(), static_cast<int>(size), MPI_CHAR, 0, comm);
  return words;
}

bool is_glob(const std::string& text) {
  return text.find_first_of("*?[") != std::string::npos;
}

/// What this process has done so far.
struct History {
  double seconds = 0;          ///< spent on choices
  std::vector<Json> chosen{};  ///< situations; another exchange in one of them does not go on
  bool warned = false;         ///< that the file cannot be written
  static History& current() {
    static History history;
    return history;
  }
};

double in_us(double seconds) {
  return std::round(seconds * 1e9) / 1e3;
}

Json describe(const Race& race) {
  Json list = Json::List{};
  for (std::size_t i = 0; i < race.runners().size(); ++i) {
    const Race::Runner& runner = race.runners()[i];
    const Interval found = race.of(i);
    Json row;
    row["scheme"] = runner.name;
    if (!runner.seconds.empty()) {
      row["median_us"] = in_us(found.value);
      row["low_us"] = in_us(found.low);
      row["high_us"] = in_us(found.high);
      row["samples"] = static_cast<double>(runner.seconds.size());
    }
    if (!runner.dropped.empty()) row["dropped"] = runner.dropped;
    list.list().push_back(std::move(row));
  }
  return list;
}

/// What rank 0 knows from files; the others ask it.
class Adviser {
 public:
  Adviser(const Scheme& asked, Json situation);

  /// The scheme chosen before, if it may be used again; else empty.
  std::string remembered() const;
  double remembered_us() const;
  /// A first wave: all methods, and what has been fast for a similar pattern.
  std::vector<Scheme> first() const;
  std::string objection(const Scheme& scheme) const;
  /// Why there is a tournament, or none.
  std::string why;

  /// The time measured before is far from what it is now: so may all others be.
  void distrust() { slow_elsewhere_.clear(); }
  void record(const std::string& scheme, const Tournament& tournament);
  void log(const std::string& scheme, const Tournament& tournament) const;

 private:
  void heed(const Json& wishes, const std::string& where);
  void take_notes();
  void look_around();
  Json report(const std::string& scheme, const Tournament& tournament) const;
  static std::size_t untried(const Json& entry);

  const Scheme asked_;
  const Json situation_;
  Choices choices_;
  Soundness soundness_;
  std::map<std::string, std::string> slow_elsewhere_;
  std::string pinned_;
};

Adviser::Adviser(const Scheme& asked, Json situation)
    : asked_(asked), situation_(std::move(situation)), choices_(Tuning::current().path()) {
  take_notes();
  soundness_.learn(doctors_memory(), situation_["machine"]["cpu"].string(),
                   situation_["machine"]["mpi"].string());
  for (const Json& one : choices_.content()["unfinished"].list())
    if (one["machine"] == situation_["machine"])
      soundness_.forbid(one["scheme"].string(),
                        "a job ended while it was measured (" + one["time"].string() + ")");
  heed(choices_.content(), "for all patterns");
  const Json& entry = choices_.entry(situation_);
  heed(entry, "for this pattern");
  if (!pinned_.empty()) soundness_.pin(pinned_);
  if (pinned_.empty() && !Tuning::current().fresh) look_around();

  if (!remembered().empty())
    why = "remembered from " + entry["time"].string();
  else if (Tuning::current().fresh)
    why = "asked to measure afresh";
  else if (const Json& other = choices_.elsewhere(situation_);
           !entry["scheme"].is_string() && other["scheme"].is_string())
    why = "the choice known, " + other["scheme"].string() + ", is of " +
          other["machine"]["cpu"].string() + ", " + other["machine"]["mpi"].string();
  else if (!entry["scheme"].is_string())
    why = "no choice is known for this pattern here";
  else if (untried(entry) > 0)
    why = "there was no time for " + std::to_string(untried(entry)) + " candidates before";
  else
    why = "the choice known, " + entry["scheme"].string() + ", may not be used any more";
}

/// `forbid` and `pin`, of the whole file or of one entry.
void Adviser::heed(const Json& wishes, const std::string& where) {
  for (const Json& glob : wishes["forbid"].list())
    soundness_.forbid(glob.string(), "forbidden " + where);
  const std::string& glob = wishes["pin"].string();
  if (glob.empty()) return;
  pinned_ = glob;
  if (is_glob(glob)) return;
  try {
    Scheme{glob};
  } catch (const Error& problem) {
    throw Error(choices_.path() + ": \"pin\" " + where + ": " + problem.what());
  }
}

/// Jobs that ended while they measured: what they were at is not tried again.
void Adviser::take_notes() {
  const std::vector<Json> notes = Note::left_behind(choices_.path());
  if (notes.empty()) return;
  choices_.edit([&](Json& content) {
    for (const Json& note : notes) {
      Json one;
      for (const char* part : {"scheme", "machine"}) one[part] = note[part];
      one["time"] = utc_now();
      content["unfinished"].list().push_back(one);
    }
  });
  for (const Json& note : notes)
    std::fprintf(stderr,
                 "halocline: auto: %s is left out, since a job ended while it was measured; to try "
                 "it again take it from \"unfinished\" in %s\n",
                 note["scheme"].string().c_str(), choices_.path().c_str());
}

/// Candidates for which the budget was too short: later jobs go on with them.
std::size_t Adviser::untried(const Json& entry) {
  if (entry["jobs"].number() >= most_jobs) return 0;
  const auto& rows = entry["candidates"].list();
  return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [](const Json& row) {
    return row["dropped"].string() == no_time;
  }));
}

std::string Adviser::remembered() const {
  const Json& entry = choices_.entry(situation_);
  const std::string& known = entry["scheme"].string();
  const auto& mine = History::current().chosen;
  const bool by_me = std::find(mine.begin(), mine.end(), situation_) != mine.end();
  if (known.empty() || (!by_me && (untried(entry) > 0 || Tuning::current().fresh))) return {};
  try {
    return objection(Scheme(known)).empty() ? known : "";
  } catch (const Error&) {
    return {};  // not a scheme of this version or this MPI
  }
}

double Adviser::remembered_us() const {
  const Json& entry = choices_.entry(situation_);
  for (const Json& row : entry["candidates"].list())
    if (row["scheme"] == entry["scheme"]) return row["median_us"].number();
  return 0;
}

std::string Adviser::objection(const Scheme& scheme) const {
  if (std::string why = soundness_.objection(scheme); !why.empty()) return why;
  const auto found = slow_elsewhere_.find(scheme.str());
  return found == slow_elsewhere_.end() ? "" : found->second;
}

/// What took several times as long as the best for a similar pattern is not tried here.
void Adviser::look_around() {
  const Json& similar = choices_.nearest(situation_);
  double best = 0;
  for (const Json& row : similar["candidates"].list())
    if (row["scheme"] == similar["scheme"]) best = row["median_us"].number();
  for (const Json& row : similar["candidates"].list()) {
    const double times = best > 0 ? row["median_us"].number() / best : 0;
    if (times < slow_elsewhere) continue;
    char why[80];
    std::snprintf(why, sizeof why, "%.3g times as long for a similar pattern", times);
    slow_elsewhere_[row["scheme"].string()] = why;
  }
}

std::vector<Scheme> Adviser::first() const {
  // Pinned by its full name: it need not be among the methods' default forms.
  if (!pinned_.empty() && !is_glob(pinned_)) return {pinned_};
  std::vector<Scheme> list;
  const auto add = [&](const std::string& name) {
    try {
      const Scheme scheme(name);
      if (std::find(list.begin(), list.end(), scheme) == list.end()) list.push_back(scheme);
    } catch (const Error&) {
      // Not a scheme of this version.
    }
  };
  const Json& mine = choices_.entry(situation_);
  if (untried(mine) > 0 && !Tuning::current().fresh) {
    add(mine["scheme"].string());
    for (const Json& row : mine["candidates"].list())
      if (row["dropped"].string() == no_time) add(row["scheme"].string());
    return list;
  }
  add(choices_.nearest(situation_)["scheme"].string());
  for (const Scheme& scheme : methods(asked_)) add(scheme.str());
  return list;
}

Json Adviser::report(const std::string& scheme, const Tournament& tournament) const {
  Json entry;
  entry["scheme"] = scheme;
  entry["why"] = why;
  entry["time"] = utc_now();
  entry["seconds"] = std::round(tournament.elapsed() * 1e3) / 1e3;
  entry["candidates"] = describe(tournament.runners());
  return entry;
}

void Adviser::record(const std::string& scheme, const Tournament& tournament) {
  const Json fresh = report(scheme, tournament);
  const auto change = [&](Json& content) {
    Json& entry = Choices::entry_in(content, situation_);
    const bool goes_on = untried(entry) > 0 && !Tuning::current().fresh;
    const Json before = goes_on ? entry["candidates"] : Json();
    entry["jobs"] = goes_on ? entry["jobs"].number() + 1 : 1;
    for (const auto& [name, value] : fresh.members()) entry[name] = value;
    // What was found out about others when the time was too short for all.
    Json::List& rows = entry["candidates"].list();
    for (const Json& row : before.list())
      if (std::none_of(rows.begin(), rows.end(),
                       [&](const Json& one) { return one["scheme"] == row["scheme"]; }))
        rows.push_back(row);
  };
  std::string problem;
  try {
    problem = choices_.edit(change);
  } catch (const Error& damaged) {
    problem = damaged.what();
  }
  if (!problem.empty() && !std::exchange(History::current().warned, true))
    std::fprintf(stderr, "halocline: auto: the choice is not kept for later jobs: %s\n",
                 problem.c_str());
  History::current().chosen.push_back(situation_);
}

void Adviser::log(const std::string& scheme, const Tournament& tournament) const {
  if (Tuning::current().log.empty()) return;
  Json all = situation_;
  const Json choice = report(scheme, tournament);
  for (const auto& [name, value] : choice.members()) all[name] = value;
  std::ofstream(Tuning::current().log, std::ios::app) << all.line() + "\n" << std::flush;
}

/// The way from `auto` to a method. Collective; rank 0 asks the adviser and tells the others.
class Choice {
 public:
  explicit Choice(const Setup& setup) : setup_(setup) {}

  std::unique_ptr<Method> method() {
    Json here = situation(setup_);
    if (here["pattern"]["links"].number() == 0) return plain();
    machine_ = here["machine"];
    mpi::together(setup_.comm, [&] {
      if (mpi::rank(setup_.comm) == 0) adviser_.emplace(setup_.scheme, std::move(here));
    });
    if (!take_remembered()) compete();
    auto method = tournament_->winner();
    if (adviser_) {
      const std::string scheme = method->setup().scheme.str();
      if (!is_remembered_) adviser_->record(scheme, *tournament_);
      adviser_->log(scheme, *tournament_);
    }
    end();
    return method;
  }

 private:
  /// Where nothing is sent there is nothing to choose.
  std::unique_ptr<Method> plain() const {
    return make_method({mpi::Comm::duplicate(setup_.comm), setup_.pattern, setup_.fields,
                        "p2p:nonblocking", setup_.two_way});
  }

  void begin() {
    tournament_.emplace(setup_, machine_, adviser_ ? Tuning::current().path() : "", budget_);
  }
  void end() {
    if (tournament_) History::current().seconds += tournament_->elapsed();
    tournament_.reset();
  }

  /// Uses what the file knows, if it still delivers, and in about the time it took then.
  bool take_remembered() {
    std::ostringstream known;
    known.precision(17);
    if (adviser_)
      known << budget() << ' ' << adviser_->remembered_us() << ' ' << adviser_->remembered();
    std::istringstream words(tell(setup_.comm, known.str()));
    double us = 0;
    std::string name;
    words >> budget_ >> us >> name;
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
      char text[160];
      std::snprintf(text, sizeof text, "the choice known, %s, takes %.3g µs now and took %.3g µs",
                    name.c_str(), now, us);
      why = text;
    }
    if (adviser_) {
      adviser_->why = why;
      adviser_->distrust();
    }
    return false;
  }

  /// All choices of a process together take little more than twice what one may.
  static double budget() {
    const double one = Tuning::current().budget;
    return std::clamp(2 * one - History::current().seconds, one / 10, one);
  }

  /// What rank 0 allows of its list; on all ranks, with the objections to the others.
  void enter(const std::vector<Scheme>& wanted, double part) {
    std::ostringstream lines;
    for (const Scheme& scheme : wanted)
      lines << scheme.str() << '\t' << adviser_->objection(scheme) << '\n';
    std::istringstream told(tell(setup_.comm, lines.str()));
    for (std::string line; std::getline(told, line);) {
      const auto tab = line.find('\t');
      const Scheme scheme(line.substr(0, tab));
      const std::string objection = line.substr(tab + 1);
      if (tournament_->knows(scheme)) continue;
      if (!objection.empty())
        tournament_->leave_out(scheme, objection);
      else if (tournament_->tried() > 0 && tournament_->spent(part))
        tournament_->leave_out(scheme, no_time);
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
    near.resize(std::min(near.size(), most_close));
    const bool several = mpi::size(setup_.comm) > ranks_per_island_;
    std::vector<Scheme> list;
    for (const auto& [times, name] : near) {
      if (times > close * near.front().first) break;
      for (const Scheme& scheme : variants(name, setup_.scheme, several))
        if (!tournament_->knows(scheme) &&
            std::find(list.begin(), list.end(), scheme) == list.end())
          list.push_back(scheme);
    }
    return list;
  }

  void compete() {
    end();
    begin();
    ranks_per_island_ = mpi::size(Islands(setup_.comm, setup_.scheme.islands()).island());
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
  Json machine_;
  std::optional<Adviser> adviser_;  // on rank 0
  std::optional<Tournament> tournament_;
  bool is_remembered_ = false;
  double budget_ = 0;
  int ranks_per_island_ = 1;
};

std::unique_ptr<Method> choose(Setup setup) {
  return Choice(setup).method();
}

}  // namespace

MethodFacts automatic() {
  return {.name = "auto",
          .summary = "measures the others when the exchange is made, and takes the fastest",
          .options = {{"access", {"copy", "any"}},
                      {"island",
                       {"node", "numa", "2"},
                       [](const std::string& text) { IslandSpec{text}; }}},
          .make = choose,
          .refusals = {},
          // What every candidate can work on.
          .memory = [](const Scheme&) { return MemoryKind::shared; },
          .chooses = true};
}

}  // namespace halocline::detail
