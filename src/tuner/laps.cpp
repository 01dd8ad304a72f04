#include "laps.hpp"

#include "base/text.hpp"
#include "mpi/come_to_rest.hpp"

#include <halocline/error.hpp>
#include <halocline/more/waiting.hpp>

#include <algorithm>

namespace halocline::detail {

Laps::Laps(const methods::Channel& channel, std::string name, LapContest::Rules rules)
    : channel_(channel), name_(std::move(name)), rules_(rules) {}

/// Times are on their way all the same. What is tried just now is no choice.
Laps::~Laps() {
  const bool at_rest = mpi::come_to_rest([this] {
    if (told_) wait_one(name_.c_str(), told_->request());
  });
  if (!at_rest && told_) channel_.keep();
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (const auto member = members_[i].lock(); member && !member->busy() && contest_)
      member->use(assignment_[i]);
}

void Laps::add(const std::shared_ptr<Choosable>& choosable) {
  members_.push_back(choosable);
  assignment_.push_back(0);
  for (Assignment& plan : plans_) plan.push_back(0);
  if (!contest_) return;
  in_use_.push_back(0);
  enter(members_.size() - 1, 0);
}

void Laps::start() {
  in_use_ = assignment_;
  changes_.push_back({});
  contest_.emplace(std::vector<std::string>{"as it begins"}, rules_);
  for (std::size_t i = 0; i < members_.size(); ++i) enter(i, 0);
}

void Laps::enter(std::size_t member, std::size_t first) {
  const auto who = members_[member].lock();
  for (std::size_t option = first; who && option < who->options(); ++option) {
    contest_->enter(who->option(option));
    changes_.push_back({member, option});
    // Another may win, and it may be worth a try again.
    if (option == assignment_[member]) contest_->leave_out(changes_.size() - 1, in_use);
  }
}

void Laps::must_be_at_rest() const {
  if (open_) throw Error(name_ + ": a lap begins while one is under way; end that one first");
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (const auto member = members_[i].lock(); member && member->busy())
      throw Error(name_ + ": a lap begins while a step of exchange " + std::to_string(i) +
                  " is under way; finish it first");
}

void Laps::begin() {
  if (left_ == 0) turn();
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
    ++turn_;
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
    told_.emplace(std::move(times_));
    HALOCLINE_MPI(MPI_Iallreduce, MPI_IN_PLACE, (*told_)->data(),
                  static_cast<int>((*told_)->size()), MPI_DOUBLE, MPI_MAX, channel_,
                  &told_->request());
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
  const std::vector<double> seconds = std::move(**told_);
  told_.reset();
  const std::size_t before = contest_->leader();
  contest_->took(seconds);
  if (contest_->leader() != before) {
    const auto [member, option] = changes_[contest_->leader()];
    for (std::size_t e = 1; e < changes_.size(); ++e)
      if (changes_[e].member == member && changes_[e].option == assignment_[member])
        contest_->has_replaced(e);
    assignment_[member] = option;
  }
  // What helps besides the best; what is in use already is nothing to try.
  if (contest_->decided() && std::ranges::find(explored_, assignment_) == explored_.end()) {
    explored_.push_back(assignment_);
    for (std::size_t i = 0; i < members_.size(); ++i)
      if (const auto member = members_[i].lock()) {
        const std::size_t known = member->options();
        if (member->more(assignment_[i]) > 0) enter(i, known);
      }
  }
  for (std::size_t e = 1; e < changes_.size(); ++e) {
    const auto [member, option] = changes_[e];
    const bool gone = members_[member].expired();
    const std::string why = gone ? "its exchange has ended" : in_use;
    if (e != contest_->leader() && (gone || option == assignment_[member]) &&
        contest_->entrants()[e].why != why)
      contest_->leave_out(e, why);
  }
}

void Laps::take(const Assignment& wanted, std::size_t entrant) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (wanted[i] == in_use_[i]) continue;
    const auto member = members_[i].lock();
    if (!member) continue;
    if (const std::string why = member->prepare(wanted[i]); !why.empty()) {
      // The laps of this turn are the leader's, and what they take is not looked at.
      contest_->leave_out(entrant, why);
      continue;
    }
    member->use(wanted[i]);
    in_use_[i] = wanted[i];
  }
}

std::string Laps::report() const {
  std::string text = base::formatted("%s: %ld laps", name_.c_str(), made_);
  if (!contest_) return text + ", nothing tried\n";
  const LapContest& found = *contest_;
  text += base::formatted(", trying cost %.2g %% of %.3g s; %s\n",
                          found.elapsed() > 0 ? 100 * found.cost() / found.elapsed() : 0.0,
                          found.elapsed(),
                          found.decided() ? "decided" : "not decided yet: too few laps");
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (const auto member = members_[i].lock())
      text += "  chosen: " + member->option(assignment_[i]) + "\n";
  for (std::size_t e = 1; e < changes_.size(); ++e) {
    const LapContest::Entrant& one = found.entrants()[e];
    text += "  " + one.name + base::formatted(": %ld laps", one.laps);
    if (!one.quotients.empty()) {
      const base::Interval times = found.times(e);
      text +=
          base::formatted(", %.3g [%.3g, %.3g] times as long", times.value, times.low, times.high);
    }
    text += one.why.empty() ? "\n" : "; " + one.why + "\n";
  }
  return text;
}

}  // namespace halocline::detail
