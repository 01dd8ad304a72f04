#include "laps.hpp"

#include "base/text.hpp"
#include "mpi/refusal.hpp"

#include <halocline/error.hpp>
#include <halocline/more/tuner.hpp>
#include <halocline/more/waiting.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

namespace halocline::detail {

namespace {

/// Those that there are, of all threads.
struct Living {
  std::mutex mutex{};
  std::set<Laps*> laps{};
  static Living& all() {
    static auto& all = *new Living;
    return all;
  }
};

/// A program may end MPI first, or never end them.
void conclude_all() {
  const std::lock_guard lock(Living::all().mutex);
  for (Laps* const one : Living::all().laps) one->conclude();
}

}  // namespace

Laps::Laps(const methods::Channel& channel, std::string name, LapContest::Rules rules)
    : channel_(channel), name_(std::move(name)), rules_(rules) {
  static const bool registered = (at_end_of_mpi(conclude_all), true);
  static_cast<void>(registered);
  const std::lock_guard lock(Living::all().mutex);
  Living::all().laps.insert(this);
}

/// Times that are on their way arrive without it. What is tried just now is no choice.
Laps::~Laps() {
  {
    const std::lock_guard lock(Living::all().mutex);
    Living::all().laps.erase(this);
  }
  if (mpi::abandoning() && (told_ || compared_)) channel_.keep();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const auto member = members_[i].shared.lock();
    if (!member) continue;
    member->on_leaving({});
    conclude(i, true);
    rest(i);
  }
}

void Laps::rest(std::size_t i) noexcept {
  const auto member = members_[i].shared.lock();
  if (!member || member->busy() || !contest_) return;
  member->use(assignment_[i]);
  member->settle();
}

void Laps::add(const std::shared_ptr<Choosable>& choosable) {
  choosable->on_leaving([this, i = members_.size()] {
    conclude(i, true);
    rest(i);
    members_[i] = {};
  });
  members_.push_back({.shared = choosable, .here = choosable.get(), .set_up = choosable->set_up()});
  assignment_.push_back(0);
  successions_.emplace_back();
  for (Assignment& plan : plans_) plan.push_back(0);
  if (!contest_) return;
  in_use_.push_back(0);
  begin_with(members_.size() - 1);
}

void Laps::propose(const std::shared_ptr<Choosable>& choosable, std::string words) {
  proposed_.push_back({choosable, std::move(words)});
}

/// Sums that differ are on their way for a lap, so that no rank waits for one that is a lap behind.
void Laps::compare_proposals() {
  if (!differ_.empty()) throw Error(differ_);
  if (compared_) {
    wait_one(name_.c_str(), compared_->request());
    const std::vector<std::int64_t> sums = std::move(**compared_);
    compared_.reset();
    if (sums[0] != -sums[1]) expect_same_proposals();
    for (; agreed_ < compared_of_; ++agreed_) add(proposed_[agreed_].choosable);
  }
  if ((made_ & (made_ - 1)) != 0) return;
  std::uint64_t sum = 14695981039346656037u;  // FNV-1a
  for (const Proposal& one : proposed_)
    for (const char c : one.words + '\0')
      sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211u;
  const auto mine = static_cast<std::int64_t>(sum >> 2);
  compared_of_ = proposed_.size();
  compared_.emplace(std::vector<std::int64_t>{mine, -mine});
  HALOCLINE_MPI(MPI_Iallreduce, MPI_IN_PLACE, (*compared_)->data(), 2, MPI_INT64_T, MPI_MAX,
                channel_, &compared_->request());
}

/// Throws the same Error on all ranks, also when laps begin later, unless rank 0's are this rank's.
void Laps::expect_same_proposals() {
  std::string all;
  for (const Proposal& one : proposed_) all += one.words + '\0';
  std::string theirs = mpi::from_root(channel_, all), complaint;
  for (std::size_t i = 0, begin = 0;
       complaint.empty() && (i < proposed_.size() || begin < theirs.size()); ++i) {
    const std::size_t end = std::min(theirs.find('\0', begin), theirs.size());
    const std::string first = theirs.substr(begin, end - begin),
                      here = i < proposed_.size() ? proposed_[i].words : "";
    begin = std::min(end + 1, theirs.size());
    const auto said = [](const std::string& words) { return words.empty() ? "none" : words; };
    if (first != here)
      complaint = name_ + ": choice " + std::to_string(i + 1) + " is " + said(first) +
                  " on rank 0, but " + said(here) + " on rank " +
                  std::to_string(mpi::rank(channel_)) +
                  "; all ranks make the same choices of the same values in the same order, from "
                  "the same lap on";
  }
  differ_ = mpi::complaint_of_all(channel_, complaint);
  if (!differ_.empty()) throw Error(differ_);
  compared_of_ = proposed_.size();
}

void Laps::start() {
  in_use_ = assignment_;
  changes_.push_back({});
  contest_.emplace(std::vector<std::string>{"as it begins"}, rules_);
  for (std::size_t i = 0; i < members_.size(); ++i) begin_with(i);
}

void Laps::begin_with(std::size_t i) {
  if (const auto member = members_[i].shared.lock()) member->begins();
  enter(i, 0);
}

void Laps::enter(std::size_t member, std::size_t first) {
  const auto who = members_[member].shared.lock();
  for (std::size_t option = first; who && option < who->options(); ++option) {
    const Choosable::Prior prior = who->prior(option);
    contest_->enter(who->option(option), prior.times, member);
    changes_.push_back({member, option});
    if (option == assignment_[member]) {
      changes_.back().times = {1, 1, 1, 1};
      changes_.back().ready = true;
      // Another may win, and it may be worth a try again.
      contest_->leave_out(changes_.size() - 1, in_use);
    } else if (!prior.why_not.empty()) {
      changes_.back().known = true;
      contest_->leave_out(changes_.size() - 1, prior.why_not);
    }
  }
  expect_set_ups();
}

/// All ranks make ready and dismiss the same between the same laps, and are told the same times.
void Laps::expect_set_ups() {
  for (std::size_t e = 1; e < changes_.size(); ++e)
    contest_->expect_set_up(e, changes_[e].ready ? 0 : members_[changes_[e].member].set_up);
}

void Laps::must_be_at_rest() const {
  if (open_) throw Error(name_ + ": a lap begins while one is under way; end that one first");
  for (const Member& member : members_)
    if (member.here != nullptr && member.here->busy())
      throw Error(name_ +
                  ": a lap begins while a step of one of its exchanges is under way; "
                  "finish it first");
}

void Laps::begin() {
  if (left_ == 0) turn();
  if (turns_[turn_].entrant != contest_->leader()) ++changes_[turns_[turn_].entrant].laps;
  open_ = true;
  begin_ = Clock::now();
}

void Laps::end(double work) noexcept {
  if (!open_) return;
  open_ = false;
  const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  ++made_;
  --left_;
  if (warm_ > 0) {
    --warm_;
    return;
  }
  seconds_ += seconds, work_ += work;
}

void Laps::turn() {
  if (!contest_) start();
  if (turn_ < turns_.size()) {
    times_[turn_] = work_ > 0 ? seconds_ / work_ : seconds_;
    if (unit_ == 0) worked_ += work_;
    ++turn_;
    for (Member& member : members_)
      if (member.unproven > 0 && --member.unproven == 0 && member.here) member.here->survived(0);
  }
  if (turn_ == turns_.size()) next_batch();
  const LapContest::Turn& now = turns_[turn_];
  take(plans_[turn_], now.entrant);
  warm_ = now.warm, left_ = now.warm + now.laps;
  seconds_ = work_ = 0;
}

/// What the batch before this one took is known to all by now, or soon; this one's times are on
/// their way while the next one is made.
void Laps::next_batch() {
  if (told_) hear();
  if (!turns_.empty()) {
    // The first turns are of a lap each.
    if (unit_ == 0) unit_ = worked_ > 0 ? worked_ / static_cast<double>(turns_.size()) : 1;
    for (double& time : times_) time *= unit_;
    times_.push_back(std::exchange(preparing_, 0));
    told_.emplace(std::move(times_));
    HALOCLINE_MPI(MPI_Iallreduce, MPI_IN_PLACE, (*told_)->data(),
                  static_cast<int>((*told_)->size()), MPI_DOUBLE, MPI_MAX, channel_,
                  &told_->request());
    const auto met = std::ranges::find_if(
        turns_, [this](const auto& turn) { return turn.entrant != turns_.front().entrant; });
    told_of_ = met == turns_.end() ? std::nullopt : std::optional(met->entrant);
    told_set_up_ = std::exchange(set_up_, std::nullopt);
  }
  turns_ = contest_->plan();
  plans_.clear();
  for (const LapContest::Turn& turn : turns_) {
    plans_.push_back(assignment_);
    if (turn.entrant != contest_->leader())
      plans_.back()[changes_[turn.entrant].member] = changes_[turn.entrant].option;
  }
  times_.assign(turns_.size(), 0);
  turn_ = 0;
}

void Laps::hear() {
  wait_one(name_.c_str(), told_->request());
  std::vector<double> seconds = std::move(**told_);
  told_.reset();
  prepared_ += seconds.back();
  contest_->spent(seconds.back());
  if (told_set_up_) {
    double& longest = members_[*told_set_up_].set_up;
    if (longest > 0) longest = std::max(longest, seconds.back());
  }
  seconds.pop_back();
  const std::size_t before = contest_->leader();
  contest_->took(seconds);
  if (told_of_ && *told_of_ != before) {
    Change& change = changes_[*told_of_];
    if (const auto member = members_[change.member].shared.lock()) member->survived(change.option);
    // Many bouts take long to look at: as seldom as they are judged.
    const LapContest::Entrant& met = contest_->entrants()[*told_of_];
    if (met.quotients.size() == 1 || (!met.quotients.empty() && met.looks != change.looks)) {
      change.looks = met.looks;
      change.times = contest_->times(*told_of_);
      change.successions = successions_[change.member].size();
    }
  }
  if (contest_->leader() != before) {
    Change& change = changes_[contest_->leader()];
    const std::size_t member = change.member, option = change.option;
    successions_[member].push_back(std::exchange(change.times, {1, 1, 1, 1}));
    change.successions = successions_[member].size();
    for (std::size_t e = 1; e < changes_.size(); ++e)
      if (changes_[e].member == member && changes_[e].option == assignment_[member])
        contest_->has_replaced(e);
    assignment_[member] = option;
    // Things are not as they were in earlier runs.
    for (std::size_t e = 1; e < changes_.size(); ++e)
      if (changes_[e].member == member && std::exchange(changes_[e].known, false))
        contest_->try_again(e);
  }
  // What helps besides the best; what is in use already is nothing to try.
  if (contest_->decided() && std::ranges::find(explored_, assignment_) == explored_.end()) {
    explored_.push_back(assignment_);
    for (std::size_t i = 0; i < members_.size(); ++i)
      if (const auto member = members_[i].shared.lock()) {
        const std::size_t known = member->options();
        if (member->more(assignment_[i]) > 0) enter(i, known);
      }
  }
  for (std::size_t e = 1; e < changes_.size(); ++e) {
    const std::size_t member = changes_[e].member, option = changes_[e].option;
    const bool gone = members_[member].here == nullptr;
    const std::string why = gone ? "its exchange has ended" : in_use;
    if (e != contest_->leader() && (gone || option == assignment_[member]) &&
        contest_->entrants()[e].why != why)
      contest_->leave_out(e, why);
  }
  const bool decided = contest_->decided();
  const auto since = Clock::now();
  if (decided && !was_decided_)
    for (std::size_t i = 0; i < members_.size(); ++i) conclude(i, false);
  else if (contest_->leader() != before)
    conclude(changes_[contest_->leader()].member, false);
  was_decided_ = decided;
  dismiss_losers(decided);
  expect_set_ups();
  preparing_ += std::chrono::duration<double>(Clock::now() - since).count();
}

/// MPI has so many windows and communicators, and no more. All ranks have come to the end of the
/// last batch but one: what has made no turn since then nobody uses any more. Until all is decided
/// who was nearly as fast may be asked again.
void Laps::dismiss_losers(bool decided) {
  for (std::size_t e = 1; e < changes_.size(); ++e) {
    Change& change = changes_[e];
    if (!change.ready || contest_->tries(e) || (!decided && contest_->may_return(e)) ||
        change.option == in_use_[change.member] || change.option == assignment_[change.member] ||
        std::ranges::find(turns_, e, &LapContest::Turn::entrant) != turns_.end())
      continue;
    const auto member = members_[change.member].shared.lock();
    if (!member || member->dismiss(change.option)) change.ready = false;
  }
}

void Laps::conclude() noexcept {
  for (std::size_t i = 0; i < members_.size(); ++i) conclude(i, true);
  concluded_ = true;
}

void Laps::conclude(std::size_t i, bool end) noexcept {
  const auto member = members_[i].shared.lock();
  if (!member || !contest_ || concluded_ || !mpi::running()) return;
  try {
    member->conclude(totals(), chosen(i, *member), end);
  } catch (const std::exception& problem) {
    Tuning::tell(name_ + ": " + problem.what());
  }
}

void Laps::take(const Assignment& wanted, std::size_t entrant) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (wanted[i] == in_use_[i]) continue;
    const auto member = members_[i].shared.lock();
    if (!member) continue;
    const auto before = Clock::now();
    const std::string why = member->prepare(wanted[i]);
    preparing_ += std::chrono::duration<double>(Clock::now() - before).count();
    if (!why.empty()) {
      // The laps of this turn are the leader's, and what they take is not looked at.
      contest_->leave_out(entrant, why);
      continue;
    }
    member->use(wanted[i]);
    in_use_[i] = wanted[i];
    if (Change& change = changes_[entrant]; change.member == i && change.option == wanted[i]) {
      if (!std::exchange(change.ready, true)) set_up_ = i;
    }
  }
}

/// What its member uses now has won against what it used then, perhaps by way of others: products
/// of intervals hold with less confidence.
Section::Times Laps::times(const Change& change) const {
  Section::Times all{change.times.value, change.times.low, change.times.high,
                     change.times.confidence};
  const auto& since = successions_[change.member];
  if (all.value > 0)
    for (std::size_t i = change.successions; i < since.size(); ++i)
      all = {all.value / since[i].value, all.low / since[i].high, all.high / since[i].low,
             std::max(0.0, all.confidence + since[i].confidence - 1)};
  return all;
}

Section::Chosen Laps::chosen(std::size_t member, const Choosable& who) const {
  Section::Chosen all{.what = who.option(assignment_[member]), .tried = who.left_out()};
  const auto yardstick = who.yardstick();
  if (yardstick) all.yardstick = who.option(*yardstick);
  for (std::size_t e = 1; e < changes_.size(); ++e) {
    const Change& change = changes_[e];
    if (change.member != member) continue;
    const LapContest::Entrant& entrant = contest_->entrants()[e];
    const Section::Times found = times(change);
    if (change.option == yardstick && found.value > 0) {
      all.times = {1 / found.value, 1 / found.high, 1 / found.low, found.confidence};
      const bool sure = found.confidence >= 0.95 || !contest_->tries(e);
      all.matters = sure && (all.times.high < 1 - rules_.alike || all.times.low > 1 + rules_.alike);
    }
    if (change.option != assignment_[member])
      all.tried.push_back(
          {entrant.name, change.laps, found, entrant.why == in_use ? "" : entrant.why});
  }
  return all;
}

Section::Findings Laps::findings() const {
  Section::Findings all = totals();
  for (std::size_t i = 0; i < members_.size() && contest_; ++i)
    if (const auto member = members_[i].shared.lock()) all.chosen.push_back(chosen(i, *member));
  return all;
}

Section::Findings Laps::totals() const {
  Section::Findings all{.laps = made_};
  if (!contest_) return all;
  all.seconds = contest_->elapsed();
  all.cost = contest_->cost();
  all.preparing = prepared_;
  all.decided = contest_->decided();
  all.contests = contest_->contests();
  return all;
}

std::string Laps::report() const {
  const Section::Findings all = findings();
  std::string text = base::formatted("%s: %ld laps", name_.c_str(), all.laps);
  if (!contest_) return text + ", nothing tried\n";
  if (changes_.size() == 1) return text + ", nothing to choose\n";
  text += base::formatted(", trying cost %.2g %% of %.3g s (%.2g s of it to set up); %s\n",
                          all.seconds > 0 ? 100 * all.cost / all.seconds : 0.0, all.seconds,
                          all.preparing, all.decided ? "decided" : "not decided yet: too few laps");
  const std::string likeness = contest_->likeness();
  if (!likeness.empty()) text += "  laps: " + likeness + "\n";
  const auto long_as = [](const Section::Times& times) {
    return base::formatted("%.3g [%.3g, %.3g] times as long", times.value, times.low, times.high);
  };
  for (const Section::Chosen& one : all.chosen) {
    text += "  chosen: " + one.what;
    if (one.what != one.yardstick && !one.yardstick.empty())
      text += one.times.value > 0
                  ? ", " + long_as(one.times) + " as with " + one.yardstick +
                        (one.matters ? "" : ": it makes no difference that is certain")
                  : "; " + one.yardstick + " was never timed";
    text += "\n";
    std::map<std::string, std::string> untried;
    for (const Section::Tried& other : one.tried) {
      if (other.laps == 0 && other.times.value == 0) {
        std::string& names = untried[other.why.empty() ? "too few laps" : other.why];
        names += (names.empty() ? "" : ", ") + other.what;
        continue;
      }
      text += "    " + other.what + base::formatted(": %ld laps", other.laps);
      if (other.times.value > 0) text += ", " + long_as(other.times);
      text += other.why.empty() ? "\n" : "; " + other.why + "\n";
    }
    for (const auto& [why, names] : untried) text += "    not tried: " + names + ": " + why + "\n";
  }
  return text;
}

}  // namespace halocline::detail
