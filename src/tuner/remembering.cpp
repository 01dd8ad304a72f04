#include "remembering.hpp"

#include "file_shape.hpp"

#include "base/text.hpp"

#include <halocline/more/tuner.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>

namespace halocline::detail {

namespace {

constexpr double slow_elsewhere = 4;  // times as long as the best for a similar pattern
constexpr double most_jobs = 5;       // that go on where the time was too short for one
// Jobs that ended at a scheme: one may have been killed. In laps it takes what the user wants
// along.
constexpr double proof = 2, proof_for_laps = 1;
constexpr std::size_t most_remarks = 5;

bool is_glob(const std::string& text) {
  return text.find_first_of("*?[") != std::string::npos;
}

/// What this process has done so far.
struct History {
  std::vector<Situation> chosen{};  ///< another exchange in one of them does not go on
  bool warned = false;              ///< that the file cannot be written
  bool remarked = false;            ///< on what the file holds
  static History& current() {
    static History history;
    return history;
  }
};

double in_us(double seconds) {
  return std::round(seconds * 1e9) / 1e3;
}

/// To append to. Throws Error where that cannot be.
std::ofstream log_of_choices() {
  const std::string& file = Tuning::current().log;
  std::ofstream out(file, std::ios::app);
  if (!out)
    throw Error("HALOCLINE_TUNING_LOG=" + file + ": cannot be written to: " + std::strerror(errno) +
                "; name a file in a folder that is there");
  return out;
}

Json describe(const Tournament& tournament) {
  const Race& race = tournament.runners();
  Json rows = Json::array();
  for (std::size_t i = 0; i < race.runners().size(); ++i) {
    const Race::Runner& runner = race.runners()[i];
    Json row = {{"scheme", runner.name}};
    if (!runner.seconds.empty()) {
      const base::Interval found = race.of(i);
      row["median_us"] = in_us(found.value);
      row["low_us"] = in_us(found.low);
      row["high_us"] = in_us(found.high);
      row["mean_us"] = in_us(race.mean(i));
      row["samples"] = runner.seconds.size();
    }
    if (const double bytes = tournament.avoidable_bytes(i); bytes > 0)
      row["avoidable_bytes"] = static_cast<std::int64_t>(bytes);
    if (!runner.dropped.empty()) row["dropped"] = runner.dropped;
    rows.push_back(std::move(row));
  }
  return rows;
}

/// That have ended while this scheme was measured. Who writes it down by hand need not count.
double jobs_ended(const Json& unfinished) {
  const Json& jobs = member(unfinished, "jobs");
  return jobs.is_number() ? number(jobs) : proof;
}

std::string described(const Situation::Site& site) {
  std::string all = site.cpu + ", " + site.mpi;
  for (const auto& [name, value] : site.environment) all += ", " + name + "=" + value;
  return all;
}

std::string scheme_of(const Json& entry) {
  return text(member(entry, "scheme"));
}

const Json::array_t& candidates_of(const Json& entry) {
  return list(member(entry, "candidates"));
}

/// The median of the chosen scheme; 0 if it is not known.
double median_us(const Json& entry) {
  for (const Json& row : candidates_of(entry))
    if (scheme_of(row) == scheme_of(entry)) return number(member(row, "median_us"));
  return 0;
}

}  // namespace

Remembering::Remembering(const Scheme& asked, Situation situation)
    : Adviser(asked),
      situation_(std::move(situation)),
      in_laps_(situation_),
      proof_(asked.is("when", "running") ? proof_for_laps : proof),
      choices_(Tuning::current().path()) {
  in_laps_.job.asked = asked.str();
  if (!Tuning::current().log.empty()) log_of_choices();  // before anything is measured
  remark();
  take_notes();
  soundness_ = doctors_word(surroundings());
  for (const Json& one : list(member(choices_.content(), "unfinished")))
    if (site_in(one) == situation_.site && jobs_ended(one) >= proof_)
      soundness_.ended(scheme_of(one),
                       "a job ended while it was measured (" + text(member(one, "time")) + ")");
  heed(choices_.content(), "for all patterns");
  heed(choices_.entry(situation_), "for this pattern");
  if (in_laps_ != situation_) heed(choices_.entry(in_laps_), "for this pattern in laps");
  if (!pinned_.empty()) soundness_.pin(pinned_);
  if (pinned_.empty() && !Tuning::current().fresh) look_around();
  why_ = reason();
}

std::string Remembering::reason() const {
  const Json& entry = choices_.entry(situation_);
  const std::string known = scheme_of(entry);
  if (!remembered().empty()) return "remembered from " + text(member(entry, "time"));
  if (Tuning::current().fresh) return "asked to measure afresh";
  if (const std::size_t more = untried(entry).size(); !known.empty() && more > 0)
    return std::to_string(more) + (more == 1 ? " candidate has" : " candidates have") +
           " not been tried before";
  if (!known.empty()) return "the choice known, " + known + ", may not be used any more";
  const Json& other = choices_.elsewhere(situation_);
  if (scheme_of(other).empty()) return "no choice is known for this pattern here";
  const Situation::Site there = site_in(other);
  return "the choice known, " + scheme_of(other) + ", is of " + described(there);
}

/// Says once what is passed over in the file, and which globs match nothing.
void Remembering::remark() const {
  if (std::exchange(History::current().remarked, true)) return;
  std::vector<std::string> all = remarks_on(choices_.content());
  const auto look = [&](const Json& wishes, const std::string& where) {
    std::vector<std::string> globs{text(member(wishes, "pin"))};
    for (const Json& glob : list(member(wishes, "forbid"))) globs.push_back(text(glob));
    for (const std::string& glob : globs)
      if (!glob.empty() && !matches_any_scheme(glob))
        all.push_back(where + "\"" + glob + "\" matches no scheme");
  };
  look(choices_.content(), "");
  const Json::array_t& entries = list(member(choices_.content(), "choices"));
  for (std::size_t i = 0; i < entries.size(); ++i)
    look(entries[i], "\"choices[" + std::to_string(i) + "]\": ");
  for (std::size_t i = 0; i < std::min(all.size(), most_remarks); ++i)
    Tuning::tell("auto: " + choices_.path() + ": " + all[i]);
  if (all.size() > most_remarks)
    Tuning::tell("auto: " + choices_.path() + ": " + std::to_string(all.size() - most_remarks) +
                 " more such remarks");
}

/// `forbid` and `pin`, of the whole file or of one entry.
void Remembering::heed(const Json& wishes, const std::string& where) {
  for (const Json& glob : list(member(wishes, "forbid")))
    soundness_.forbid(text(glob), "forbidden " + where);
  const std::string glob = text(member(wishes, "pin"));
  if (glob.empty()) return;
  pinned_ = glob;
  if (is_glob(glob)) return;
  try {
    Scheme{glob};
  } catch (const Error& problem) {
    throw Error(choices_.path() + ": \"pin\" " + where + ": " + problem.what());
  }
}

/// Jobs that ended while they measured. What two of them were at is not tried again; one may have
/// been interrupted.
void Remembering::take_notes() {
  const std::vector<Json> notes = Note::left_behind(choices_.path());
  if (notes.empty()) return;
  std::map<std::string, double> ended;
  choices_.edit([&](Json& content) {
    Json& rows = content["unfinished"];
    if (!rows.is_array()) rows = Json::array();
    for (const Json& note : notes) {
      auto row = std::find_if(rows.begin(), rows.end(), [&](const Json& one) {
        return scheme_of(one) == scheme_of(note) && site_in(one) == site_in(note);
      });
      if (row == rows.end()) {
        rows.push_back(
            {{"scheme", scheme_of(note)}, {"machine", member(note, "machine")}, {"jobs", 0}});
        row = std::prev(rows.end());
      }
      (*row)["jobs"] = jobs_ended(*row) + 1;
      (*row)["time"] = utc_now();
      ended[scheme_of(note)] = jobs_ended(*row);
    }
  });
  for (const auto& [scheme, jobs] : ended)
    if (jobs < proof_)
      Tuning::tell("auto: a job ended while " + scheme +
                   " was measured; if that happens again, it is left out");
    else
      Tuning::tell("auto: " + scheme +
                   " is left out, since jobs ended while it was measured; to try it again take it "
                   "from \"unfinished\" in " +
                   choices_.path());
}

/// What this job has measured and survived was not to blame for the end of one before.
void Remembering::clear(Json& content, const Json& measured) const {
  Json& rows = content["unfinished"];
  if (!rows.is_array()) rows = Json::array();
  const auto survived = [&](const Json& one) {
    return jobs_ended(one) < proof && site_in(one) == situation_.site &&
           std::any_of(measured.begin(), measured.end(), [&](const Json& row) {
             return scheme_of(row) == scheme_of(one) && row.contains("samples");
           });
  };
  Json::array_t& all = rows.get_ref<Json::array_t&>();
  all.erase(std::remove_if(all.begin(), all.end(), survived), all.end());
  if (all.empty()) content.erase("unfinished");
}

std::string Remembering::remembered() const {
  const Json& entry = choices_.entry(situation_);
  const std::string known = scheme_of(entry);
  const auto& mine = History::current().chosen;
  const bool by_me = std::find(mine.begin(), mine.end(), situation_) != mine.end();
  if (known.empty() || (!by_me && (!untried(entry).empty() || Tuning::current().fresh))) return {};
  return allowed(known) ? known : "";
}

/// Candidates for which the time was too short, or which the doctor had not seen and allows now:
/// later jobs go on with them.
std::vector<std::string> Remembering::untried(const Json& entry) const {
  std::vector<std::string> names;
  const bool has_jobs_left = number(member(entry, "jobs")) < most_jobs;
  for (const Json& row : candidates_of(entry)) {
    const std::string why = text(member(row, "dropped"));
    if ((why == Tournament::no_time && has_jobs_left) ||
        (why == Soundness::not_checked && allowed(scheme_of(row))))
      names.push_back(scheme_of(row));
  }
  return names;
}

/// Whether there is such a scheme, and nothing against it.
bool Remembering::allowed(const std::string& scheme) const {
  try {
    return objection(Scheme(scheme)).empty();
  } catch (const Error&) {
    return false;  // not a scheme of this version or this MPI
  }
}

double Remembering::remembered_us() const {
  return median_us(choices_.entry(situation_));
}

std::string Remembering::objection(const Scheme& scheme) const {
  if (std::string why = soundness_.objection(scheme); !why.empty()) return why;
  const auto found = slow_elsewhere_.find(scheme.str());
  return found == slow_elsewhere_.end() ? "" : found->second;
}

/// What took several times as long as the best for a similar pattern is not tried here.
void Remembering::look_around() {
  const Json& similar = choices_.nearest(situation_);
  const double best = median_us(similar);
  for (const Json& row : candidates_of(similar)) {
    const double times = best > 0 ? number(member(row, "median_us")) / best : 0;
    if (times < slow_elsewhere) continue;
    slow_elsewhere_[scheme_of(row)] =
        base::formatted("%.3g times as long for a similar pattern", times);
  }
}

/// The time measured before is far from what it is now: so may all others be.
void Remembering::distrust(const std::string& why) {
  why_ = why;
  slow_elsewhere_.clear();
}

std::vector<Scheme> Remembering::first() const {
  // Pinned by its full name: it need not be among the methods' default forms.
  if (!pinned_.empty() && !is_glob(pinned_)) return {pinned_};
  std::vector<Scheme> all;
  const auto add = [&](const std::string& name) {
    try {
      const Scheme scheme(name);
      if (std::find(all.begin(), all.end(), scheme) == all.end()) all.push_back(scheme);
    } catch (const Error&) {
      // Not a scheme of this version.
    }
  };
  const Json& mine = choices_.entry(situation_);
  if (const auto names = untried(mine); !names.empty() && !Tuning::current().fresh) {
    add(scheme_of(mine));
    for (const std::string& name : names) add(name);
    return all;
  }
  add(scheme_of(choices_.nearest(situation_)));
  for (const Scheme& scheme : methods_for(asked_)) add(scheme.str());
  return all;
}

Tournament::Announce Remembering::announce() const {
  const auto note = std::make_shared<Note>(choices_.path());
  return
      [note, site = situation_.site](const std::string& scheme) { note->measuring(site, scheme); };
}

void Remembering::conclude(const Tournament& tournament, const std::string& scheme, bool fresh) {
  const Json report = this->report(scheme, tournament);
  if (fresh) record(report);
  append_to_log(situation_, report);
}

void Remembering::append_to_log(const Situation& situation, const Json& report) const {
  if (Tuning::current().log.empty()) return;
  Json all = as_json(situation);
  all.update(report);
  log_of_choices() << base::json_text(all) + "\n" << std::flush;
}

Json Remembering::report(const std::string& scheme, const Tournament& tournament) const {
  return {{"scheme", scheme},
          {"why", why_},
          {"time", utc_now()},
          {"seconds", std::round(tournament.elapsed() * 1e3) / 1e3},
          {"candidates", describe(tournament)}};
}

void Remembering::record(const Json& report) {
  const auto change = [&](Json& content) {
    Json& entry = Choices::entry_in(content, situation_);
    const bool goes_on = !untried(entry).empty() && !Tuning::current().fresh;
    const Json before = goes_on ? member(entry, "candidates") : Json::array();
    entry["jobs"] = goes_on ? number(member(entry, "jobs")) + 1 : 1;
    entry.update(report);
    // What was found out about others when the time was too short for all.
    Json& rows = entry["candidates"];
    for (const Json& row : before)
      if (std::none_of(rows.begin(), rows.end(),
                       [&](const Json& one) { return scheme_of(one) == scheme_of(row); }))
        rows.push_back(row);
    clear(content, report.at("candidates"));
  };
  std::string problem;
  try {
    problem = choices_.edit(change);
  } catch (const Error& damaged) {
    problem = damaged.what();
  }
  if (!problem.empty() && !std::exchange(History::current().warned, true))
    Tuning::tell("auto: the choice is not kept for later jobs: " + problem);
  History::current().chosen.push_back(situation_);
}

/// What laps have chosen before, if it may be used again.
std::string Remembering::favourite() const {
  const std::string known = scheme_of(choices_.entry(in_laps_));
  if (!known.empty() && !Tuning::current().fresh && allowed(known)) return known;
  return Adviser::favourite();
}

/// What laps have found; for a similar pattern only how likely each is.
std::vector<Section::Tried> Remembering::lapped() const {
  std::vector<Section::Tried> all;
  if (Tuning::current().fresh) return all;
  const Json& mine = choices_.entry(in_laps_);
  const bool known = !scheme_of(mine).empty();
  const Json& entry = known ? mine : choices_.nearest(in_laps_);
  for (const Json& row : candidates_of(entry)) {
    std::string why = known ? text(member(row, "dropped")) : "";
    if (!why.empty()) why += ", in an earlier run";
    all.push_back({scheme_of(row),
                   static_cast<long>(number(member(row, "laps"))),
                   {number(member(row, "times")), number(member(row, "times_low")),
                    number(member(row, "times_high"))},
                   std::move(why)});
  }
  return all;
}

void Remembering::trying(const Scheme& scheme) {
  const auto [trial, is_new] = trials_.try_emplace(scheme.str(), choices_.path());
  if (is_new) trial->second.measuring(situation_.site, scheme.str());
}

void Remembering::survived(const Scheme& scheme) {
  trials_.erase(scheme.str());
}

void Remembering::failed(const Scheme& scheme) {
  if (const auto trial = trials_.find(scheme.str()); trial != trials_.end()) trial->second.stay();
}

/// What else has ended the laps is not the fault of what they were using.
Remembering::~Remembering() {
  for (auto& [scheme, note] : trials_) note.go();
}

namespace {

double rounded(double times) {
  return std::round(times * 1e4) / 1e4;
}

/// What laps have found of `mine`, and of others what was found before against what was chosen
/// then.
Json rows_of_laps(const Section::Chosen& mine, const Json& before) {
  Json rows = Json::array({{{"scheme", mine.what}, {"times", 1}}});
  const auto add = [&](const Section::Tried& one) {
    Json row = {{"scheme", one.what}, {"laps", one.laps}};
    if (one.times.value > 0) {
      row["times"] = rounded(one.times.value);
      row["times_low"] = rounded(one.times.low);
      row["times_high"] = rounded(one.times.high);
    }
    if (!one.why.empty()) row["dropped"] = one.why;
    rows.push_back(std::move(row));
  };
  double factor = scheme_of(before) == mine.what ? 1 : 0;
  for (const Section::Tried& one : mine.tried) {
    if (one.laps == 0 && one.times.value == 0) continue;
    add(one);
    if (one.what == scheme_of(before)) factor = one.times.value;
  }
  for (Json row : candidates_of(before)) {
    if (std::ranges::any_of(rows,
                            [&](const Json& one) { return scheme_of(one) == scheme_of(row); }))
      continue;
    if (factor == 0) continue;
    for (const char* const name : {"times", "times_low", "times_high"})
      if (row.contains(name)) row[name] = rounded(number(row[name]) * factor);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

void Remembering::conclude(const Section::Findings& laps, const Section::Chosen& mine, bool end) {
  Json report = {{"scheme", mine.what},
                 {"why", base::formatted("in the program's own steps: %ld laps, %s", laps.laps,
                                         laps.decided ? "decided" : "too few to decide")},
                 {"time", utc_now()},
                 {"seconds", std::round(laps.cost * 1e3) / 1e3},
                 {"laps", laps.laps}};
  if (std::ranges::any_of(mine.tried, [](const auto& one) { return one.laps > 0; })) {
    const auto change = [&](Json& content) {
      Json& entry = Choices::entry_in(content, in_laps_);
      report["candidates"] = rows_of_laps(mine, entry);
      entry["jobs"] = number(member(entry, "jobs")) + (end ? 1 : 0);
      entry.update(report);
    };
    const std::string problem = end ? choices_.edit(change) : choices_.edit_at_once(change);
    if (end && !problem.empty() && !std::exchange(History::current().warned, true))
      Tuning::tell("auto: what laps have found is not kept for later jobs: " + problem);
  }
  if (end) append_to_log(in_laps_, report);
}

}  // namespace halocline::detail
