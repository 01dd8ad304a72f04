// From `auto` to a style: what is remembered of steps like these, or the fastest of the first
// steps.

#include "state.hpp"

#include "mpi/collectives.hpp"

#include <halocline/more/mpi.hpp>
#include <halocline/wait.hpp>

#include <array>
#include <utility>

namespace halocline {

namespace {

/// What `auto` chooses from. `multiple` cuts links, which a caller that reads in place needs whole.
std::vector<Style> possible_styles(bool in_place) {
  int given = MPI_THREAD_SINGLE;
  HALOCLINE_MPI(MPI_Query_thread, &given);
  std::vector<Style> styles;
  for (const StyleFacts& known : known_styles())
    if (known.thread_level <= given && known.style != "auto" &&
        !(in_place && known.style == "multiple"))
      styles.emplace_back(known.style);
  return styles;
}

}  // namespace

void StyledExchange::State::begin_choosing(MPI_Comm comm, const Pattern& pattern,
                                           const Scheme& scheme) {
  choosing.emplace(mpi::Comm::duplicate(comm),
                   detail::Contest(possible_styles(fields.front().exchanges.front().direct())));
  std::vector<Field> in_turn;
  for (const FieldExchange& one : fields) in_turn.push_back(one.field);
  for (const detail::Contest::Entrant& one : choosing->contest.all())
    if (one.style == "multiple")
      choosing->multiple = std::make_unique<State>(comm, pattern, std::move(in_turn), scheme,
                                                   one.style, threads, halos);
  take("masteronly");
}

bool StyledExchange::State::recall(const Sweep& sweep) {
  Choosing& now = *choosing;
  if (std::exchange(now.looked, true)) return false;
  const Yielding polite = while_others_compute();
  const std::vector<std::int64_t> mine{sweep.inner, sweep.border,
                                       static_cast<std::int64_t>(bytes_sent()), threads};
  const auto most = mpi::reduced(now.comm, mine, MPI_MAX);
  now.situation = {.ranks = mpi::size(now.comm),
                   .threads = static_cast<int>(most[3]),
                   .scheme = fields.front().exchanges.front().scheme().str(),
                   .yielding = slowest(Patience::yields() ? 1 : 0) > 0,
                   .inner = most[0],
                   .border = most[1],
                   .bytes = most[2]};
  const auto& all = now.contest.all();
  int known = -1;
  mpi::together(now.comm, [&] {
    if (mpi::rank(now.comm) > 0) return;
    const std::string name = detail::remembered_style(now.situation).value_or("");
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].style.str() == name) known = static_cast<int>(i);
  });
  known = mpi::from_rank(now.comm, 0, known);
  if (known >= 0) take(all[static_cast<std::size_t>(known)].style);
  return known >= 0;
}

bool StyledExchange::State::measured_step(const Sweep& sweep, std::size_t field) {
  Choosing& now = *choosing;
  if (now.contest.begins()) {
    finish();
    take(now.contest.style());
    now.seconds = 0;
  }
  bool visited = false;
  {
    const detail::Stopwatch timed(now.seconds);
    step(sweep, field);
    visited = now.contest.step();
    if (visited) finish();
  }
  if (!visited) return false;
  now.contest.took(slowest(now.seconds));
  if (!now.contest.decided()) return false;
  if (mpi::rank(now.comm) == 0) detail::remember_style(now.situation, now.contest);
  take(now.contest.style());
  return true;
}

/// The seconds of the slowest rank.
double StyledExchange::State::slowest(double mine) const {
  return mpi::reduced(choosing->comm, mine, MPI_MAX);
}

/// `auto` has become what it has taken.
void StyledExchange::settle() {
  State::Choosing chosen = std::move(*state_->choosing);
  state_->choosing.reset();
  if (state_->style != "multiple") return state_->take(state_->style);
  chosen.multiple->times = state_->times;
  state_ = std::move(chosen.multiple);
}

}  // namespace halocline
