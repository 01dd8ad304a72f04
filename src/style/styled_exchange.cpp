// How each style carries out a step. What is thrown inside a parallel region is thrown again after
// it: until then all threads come to the same barriers.

#include <halocline/style.hpp>
#include <halocline/wait.hpp>

#include "border.hpp"
#include "contest.hpp"
#include "pieces.hpp"
#include "remembered.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>

#include <omp.h>

namespace halocline {

using detail::Border;
using detail::Share;

namespace {

using Clock = std::chrono::steady_clock;

/// Adds the seconds of a scope.
class Timed {
 public:
  explicit Timed(double& sum) : sum_(sum) {}
  ~Timed() { sum_ += std::chrono::duration<double>(Clock::now() - begin_).count(); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  double& sum_;
  Clock::time_point begin_ = Clock::now();
};

/// The first exception of any thread. A sweep that fails ends sweeping, but no exchange: others
/// wait for what this rank sends.
class Problems {
 public:
  template <class Work>
  void exchange(Work&& work) noexcept {
    if (!exchange_failed_.load(std::memory_order_acquire)) keep(work, exchange_failed_);
  }
  template <class Work>
  void sweep(Work&& work) noexcept {
    if (!any_.load(std::memory_order_acquire)) keep(work, any_);
  }
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  template <class Work>
  void keep(Work& work, std::atomic<bool>& failed) noexcept {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!first_) first_ = std::current_exception();
      failed.store(true, std::memory_order_release);
      any_.store(true, std::memory_order_release);
    }
  }

  std::atomic<bool> any_{false}, exchange_failed_{false};
  std::mutex mutex_;
  std::exception_ptr first_;
};

constexpr const char* automatic_style = "auto";

/// `auto` chooses among these. `multiple` cuts links, which who reads in place needs whole.
std::vector<Style> possible_styles(bool in_place) {
  int given = MPI_THREAD_SINGLE;
  HALOCLINE_MPI(MPI_Query_thread, &given);
  std::vector<Style> styles;
  for (const StyleFacts& known : known_styles())
    if (known.thread_level <= given && known.style != automatic_style &&
        !(in_place && known.style == "multiple"))
      styles.emplace_back(known.style);
  return styles;
}

/// Why this rank cannot carry out the style; empty if it can.
std::string style_complaint(const Style& style, int threads, std::size_t fields) {
  if (threads < 1) return "style '" + style.str() + "': needs 1 thread or more";
  if (fields == 0) return "style '" + style.str() + "': there is no field to exchange";
  int given = MPI_THREAD_SINGLE;
  HALOCLINE_MPI(MPI_Query_thread, &given);
  if (given >= style.thread_level() || style == automatic_style) return {};
  std::string others;
  for (const StyleFacts& known : known_styles())
    if (known.thread_level <= given) others += (others.empty() ? "" : ", ") + known.style;
  return "style '" + style.str() + "' needs " + mpi::thread_level_name(style.thread_level()) +
         ", but MPI was given " + mpi::thread_level_name(given) +
         ": ask for that level when MPI begins (halocline::Environment, --style on the command "
         "line of a program, or HALOCLINE_THREAD_LEVEL in the environment)" +
         (others.empty() ? "" : ", or take a style that needs less: " + others);
}

}  // namespace

struct StyledExchange::State {
  State(MPI_Comm comm, const Pattern& pattern, std::vector<Field> in_turn, const Scheme& scheme,
        const Style& style_, int threads_, Halos halos_);

  /// Of one field: the exchange of each thread that has one.
  struct Turn {
    Field field;
    std::vector<Exchange> exchanges;
    bool begun = false;  ///< by the step before
  };

  using Carry = void (State::*)(const Sweep&, Turn&, Problems&);
  static Carry carry_of(const std::string& style);

  // One for each style.
  void masteronly(const Sweep&, Turn&, Problems&);
  void naive(const Sweep&, Turn&, Problems&);
  void funneled(const Sweep&, Turn&, Problems&);
  void single(const Sweep&, Turn&, Problems&);
  void thread(const Sweep&, Turn&, Problems&);
  void tasks(const Sweep&, Turn&, Problems&);
  void partitioned(const Sweep&, Turn&, Problems&);
  void multiple(const Sweep&, Turn&, Problems&);
  /// `multiple` while `auto` measures.
  void multiple_beside(const Sweep&, Turn&, Problems&);

  /// What a thread does in any of them.
  void exchange(Turn& turn, Problems& problems, int thread = 0);
  template <class Work>
  void communicate(Problems& problems, Work&& work) {
    double none = 0;
    const Timed timed(omp_get_thread_num() == 0 ? times.exchange : none);
    problems.exchange(work);
  }
  void sweep(const Sweep::Piece& piece, Share units, Problems& problems);
  void sweep_all(const Sweep& sweep, Problems& problems);
  void adapt(const Sweep& sweep, double exchanging);
  void step(const Sweep& sweep, std::size_t field);
  void finish();
  void take(const Style& another);

  /// Of `auto`, until it has chosen.
  struct Choosing {
    mpi::Comm comm;
    detail::Contest contest;
    std::unique_ptr<State> multiple{};  ///< which cuts messages, if that is possible
    detail::StyleSituation situation{};
    bool looked = false;  ///< for what is remembered
    double seconds = 0;   ///< of the steps of a visit
    Style asked{automatic_style};
  };
  bool recall(const Sweep& sweep);
  double slowest(double mine) const;

  Style style;
  int threads;
  Halos halos;
  Carry carry;
  std::vector<mpi::Comm> comms;  ///< of `multiple`
  std::vector<Pattern> pieces;   ///< of each exchange of a turn
  std::vector<Turn> turns;
  std::optional<Border> border;  ///< if it is known
  bool early = false;            ///< an exchange may begin in the step before, on all ranks
  bool by_parts = false;         ///< messages land in parts, and nothing else does
  double share = 1;              ///< of what the others sweep, that of the thread that communicates
  StyleTimes times;
  std::vector<double> seconds;  ///< of a unit of the inner part, by threads
  std::optional<Choosing> choosing;
};

StyledExchange::State::Carry StyledExchange::State::carry_of(const std::string& style) {
  if (style == "masteronly") return &State::masteronly;
  if (style == "naive") return &State::naive;
  if (style == "funneled") return &State::funneled;
  if (style == "single") return &State::single;
  if (style == "thread") return &State::thread;
  if (style == "tasks") return &State::tasks;
  if (style == "partitioned") return &State::partitioned;
  return &State::multiple;
}

StyledExchange::State::State(MPI_Comm comm, const Pattern& pattern, std::vector<Field> in_turn,
                             const Scheme& scheme, const Style& style_, int threads_, Halos halos_)
    : style(style_), threads(threads_), halos(halos_), carry(carry_of(style.str())) {
  mpi::agree(comm, style_complaint(style, threads, in_turn.size()));
  // Threads that compute need the cores that those in MPI would hold.
  if (threads > 1) Patience::current().yield = true;
  int exchanges = 1;
  if (style == "multiple") {
    HALOCLINE_MPI(MPI_Allreduce, &threads, &exchanges, 1, MPI_INT, MPI_MAX, comm);
    for (int i = 0; i < exchanges; ++i) comms.push_back(mpi::Comm::duplicate(comm));
  }
  if (exchanges > 1) halos = Halos::landed;  // a link of the caller's is in several
  for (int i = 0; i < exchanges; ++i) pieces.push_back(detail::piece_of(pattern, i, exchanges));
  Scheme chosen = scheme;
  for (Field& field : in_turn) {
    Turn& turn = turns.emplace_back();
    turn.field = std::move(field);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      turn.exchanges.emplace_back(comms.empty() ? comm : comms[i].get(), pieces[i],
                                  std::vector{turn.field}, chosen, ExchangeOptions{.halos = halos});
      chosen = turn.exchanges.back().scheme();
    }
  }
  seconds.resize(static_cast<std::size_t>(threads));
  if (style == automatic_style) {
    choosing.emplace(mpi::Comm::duplicate(comm),
                     detail::Contest(possible_styles(turns.front().exchanges.front().direct())));
    std::vector<Field> fields;
    for (const Turn& turn : turns) fields.push_back(turn.field);
    for (const detail::Contest::Entrant& one : choosing->contest.all())
      if (one.style == "multiple")
        choosing->multiple = std::make_unique<State>(comm, pattern, std::move(fields), chosen,
                                                     one.style, threads, halos);
    take("masteronly");
  } else if (style != "partitioned") {
    return;
  }
  // What stays on a rank is copied when an exchange begins, and is not told part by part.
  early = mpi::all_of(comm, pattern.copies_to().blocks.empty());
  // To wait for no element tells whether one could wait for some.
  by_parts = early && !pattern.receives().empty() && turns.front().exchanges.front().await(0, 0, 0);
}

/// All exchanges of a thread, one after the other in the order of their pieces, as on all ranks.
void StyledExchange::State::exchange(Turn& turn, Problems& problems, int thread) {
  problems.exchange([&] {
    double none = 0;
    const Timed timed(thread == 0 || style != "multiple" ? times.exchange : none);
    for (auto i = static_cast<std::size_t>(thread); i < turn.exchanges.size();
         i += static_cast<std::size_t>(threads)) {
      turn.exchanges[i].start();
      turn.exchanges[i].finish();
    }
  });
}

void StyledExchange::State::sweep(const Sweep::Piece& piece, Share units, Problems& problems) {
  if (units.begin >= units.end) return;
  problems.sweep([&] {
    const int thread = omp_get_thread_num();
    double none = 0;
    const Timed timed(thread == 0 ? times.sweep : none);
    const trace::Region region("sweep", Activity::compute);
    piece(units.begin, units.end, thread);
  });
}

void StyledExchange::State::sweep_all(const Sweep& all, Problems& problems) {
  const int me = omp_get_thread_num(), of = omp_get_num_threads();
  sweep(all.sweep_inner, Share(all.inner, me, of), problems);
  sweep(all.sweep_border, Share(all.border, me, of), problems);
}

void StyledExchange::State::masteronly(const Sweep& all, Turn& turn, Problems& problems) {
  exchange(turn, problems);
#pragma omp parallel num_threads(threads)
  sweep_all(all, problems);
}

void StyledExchange::State::naive(const Sweep& all, Turn& turn, Problems& problems) {
  communicate(problems, [&] { turn.exchanges.front().start(); });
#pragma omp parallel num_threads(threads)
  sweep(all.sweep_inner, Share(all.inner, omp_get_thread_num(), omp_get_num_threads()), problems);
  communicate(problems, [&] { turn.exchanges.front().finish(); });
#pragma omp parallel num_threads(threads)
  sweep(all.sweep_border, Share(all.border, omp_get_thread_num(), omp_get_num_threads()), problems);
}

void StyledExchange::State::funneled(const Sweep& all, Turn& turn, Problems& problems) {
#pragma omp parallel num_threads(threads)
  {
#pragma omp master
    exchange(turn, problems);
#pragma omp barrier
    sweep_all(all, problems);
  }
}

void StyledExchange::State::single(const Sweep& all, Turn& turn, Problems& problems) {
#pragma omp parallel num_threads(threads)
  {
#pragma omp single
    exchange(turn, problems);
    sweep_all(all, problems);
  }
}

/// How much of the inner part the communicating thread should have had, so that all had come to the
/// border at the same time: where the others sweep n units each and it n0, c + n0 t = n t.
void StyledExchange::State::adapt(const Sweep& all, double exchanging) {
  const int others = threads - 1;
  double unit = 0;
  int counted = 0;
  for (const double of_thread : seconds)
    if (of_thread > 0) unit += of_thread, ++counted;
  if (counted == 0 || others == 0 || all.inner == 0) return;
  unit /= counted;
  const double away = exchanging / unit;  // units that it could have swept meanwhile
  const auto units = static_cast<double>(all.inner);
  const double mine = std::max(0.0, (units - others * away) / threads);
  const double fair = mine * others / (units - mine);
  constexpr double weight = 0.125;  // a step that something disturbs should not count for much
  share += weight * (fair - share);
}

void StyledExchange::State::thread(const Sweep& all, Turn& turn, Problems& problems) {
  const double before = times.exchange;
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num(), others = omp_get_num_threads() - 1;
    const auto mine =
        static_cast<std::int64_t>(static_cast<double>(all.inner) * share / (share + others));
    Share units(all.inner - mine, others == 0 ? 0 : me - 1, std::max(1, others));
    units.begin += mine, units.end += mine;
    if (me == 0) {
      exchange(turn, problems);
      units = Share(mine, 0, 1);
    }
    double& unit = seconds[static_cast<std::size_t>(me)];
    unit = 0;
    {
      const Timed timed(unit);
      sweep(all.sweep_inner, units, problems);
    }
    unit = units.end > units.begin ? unit / static_cast<double>(units.end - units.begin) : 0;
#pragma omp barrier
    sweep(all.sweep_border, Share(all.border, me, others + 1), problems);
  }
  adapt(all, times.exchange - before);
}

void StyledExchange::State::tasks(const Sweep& all, Turn& turn, Problems& problems) {
  // More tasks than threads, for those that begin late.
  const auto pieces_of = [&](std::int64_t units) {
    return static_cast<int>(std::clamp<std::int64_t>(units, 1, 8 * threads));
  };
  const int inner = pieces_of(all.inner), border = pieces_of(all.border);
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
#pragma omp task priority(1) default(shared)
    {
      exchange(turn, problems);
#pragma omp taskloop grainsize(1) default(shared)
      for (int i = 0; i < border; ++i)
        sweep(all.sweep_border, Share(all.border, i, border), problems);
    }
#pragma omp taskloop grainsize(1) default(shared)
    for (int i = 0; i < inner; ++i) sweep(all.sweep_inner, Share(all.inner, i, inner), problems);
  }
}

/// What the sweep writes leaves as it is written: its exchange begins in this step, and ends in the
/// next. Where a method cannot tell parts apart, it begins with the last of them, when the one
/// before has ended: so all ranks begin and end them in the same order.
void StyledExchange::State::partitioned(const Sweep& all, Turn& turn, Problems& problems) {
  Exchange& now = turn.exchanges.front();
  Turn* const next = early && border && all.writes ? &turns.at(*all.writes) : nullptr;
  const bool known = border && std::ssize(border->reads) == all.border;
  if (next && !known)
    throw Error("style 'partitioned': the border has " + std::to_string(all.border) +
                " units, but of " + std::to_string(border->reads.size()) +
                " is known what they touch (StyledExchange::touch)");
  const bool begun = std::exchange(turn.begun, false), apart = by_parts && known;

  /// Of each link what a thread shares with the others.
  const auto shares = [&](const std::vector<Link>& links, int me, int of, const auto& act) {
    for (std::size_t link = 0; link < links.size(); ++link) {
      const Share mine(static_cast<std::int64_t>(links[link].size()), me, of);
      if (mine.begin < mine.end)
        act(link, static_cast<std::size_t>(mine.begin),
            static_cast<std::size_t>(mine.end - mine.begin));
    }
  };
  const auto mark = [&](const std::vector<detail::Run>& runs) {
    for (const auto& [link, first, count] : runs) next->exchanges.front().ready(link, first, count);
  };
  const auto open_next = [&] {
    next->exchanges.front().open();
    mark(border->unwritten);
  };

  communicate(problems, [&] {
    if (!begun) now.open();
    if (next && apart) open_next();
  });
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num(), of = omp_get_num_threads();
    if (!begun)
      communicate(problems, [&] {
        shares(pieces.front().sends(), me, of,
               [&](auto link, auto first, auto count) { now.ready(link, first, count); });
      });
    sweep(all.sweep_inner, Share(all.inner, me, of), problems);
    if (!apart) {
      communicate(problems, [&] {
        shares(pieces.front().receives(), me, of,
               [&](auto link, auto first, auto count) { now.await(link, first, count); });
      });
#pragma omp barrier
#pragma omp master
      communicate(problems, [&] {
        now.finish();
        if (next) open_next();
      });
#pragma omp barrier
    }
    const Share mine(all.border, me, of);
    if (!known) sweep(all.sweep_border, mine, problems);
    for (std::int64_t unit = mine.begin; known && unit < mine.end; ++unit) {
      const auto u = static_cast<std::size_t>(unit);
      if (apart)
        communicate(problems, [&] {
          for (const auto& [link, first, count] : border->reads[u]) now.await(link, first, count);
        });
      sweep(all.sweep_border, Share{unit, unit + 1}, problems);
      if (next) communicate(problems, [&] { mark(border->writes[u]); });
    }
  }
  if (apart) communicate(problems, [&] { now.finish(); });
  if (next) next->begun = true;
}

void StyledExchange::State::multiple(const Sweep& all, Turn& turn, Problems& problems) {
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num(), of = omp_get_num_threads();
    exchange(turn, problems, me);
    sweep(all.sweep_inner, Share(all.inner, me, of), problems);
#pragma omp barrier
    sweep(all.sweep_border, Share(all.border, me, of), problems);
  }
}

void StyledExchange::State::multiple_beside(const Sweep& all, Turn& turn, Problems& problems) {
  State& beside = *choosing->multiple;
  beside.multiple(all, beside.turns[static_cast<std::size_t>(&turn - turns.data())], problems);
  times.sweep += beside.times.sweep;
  times.exchange += beside.times.exchange;
  beside.times = {};
}

void StyledExchange::State::step(const Sweep& sweep, std::size_t field) {
  Problems problems;
  (this->*carry)(sweep, turns.at(field), problems);
  problems.rethrow();
}

void StyledExchange::State::finish() {
  for (Turn& turn : turns)
    if (std::exchange(turn.begun, false)) turn.exchanges.front().finish();
}

void StyledExchange::State::take(const Style& another) {
  style = another;
  carry = choosing && style == "multiple" ? &State::multiple_beside : carry_of(style.str());
}

double StyledExchange::State::slowest(double mine) const {
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, choosing->comm);
  return mine;
}

/// Takes the style that the file of choices names for steps like this one, if it is possible here.
bool StyledExchange::State::recall(const Sweep& sweep) {
  Choosing& now = *choosing;
  std::size_t bytes = 0;
  for (const Exchange& exchange : turns.front().exchanges) bytes += exchange.bytes_sent();
  std::array<std::int64_t, 4> most{sweep.inner, sweep.border, static_cast<std::int64_t>(bytes),
                                   threads};
  HALOCLINE_MPI(MPI_Allreduce, MPI_IN_PLACE, most.data(), 4, MPI_INT64_T, MPI_MAX, now.comm);
  now.situation = {.ranks = mpi::size(now.comm),
                   .threads = static_cast<int>(most[3]),
                   .scheme = turns.front().exchanges.front().scheme().str(),
                   .yielding = slowest(Patience::current().yield ? 1 : 0) > 0,
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
  HALOCLINE_MPI(MPI_Bcast, &known, 1, MPI_INT, 0, now.comm);
  if (known >= 0) take(all[static_cast<std::size_t>(known)].style);
  return known >= 0;
}

StyledExchange::StyledExchange(MPI_Comm comm, const Pattern& pattern, std::vector<Field> in_turn,
                               const Scheme& scheme, const Style& style, int threads, Halos halos)
    : state_(std::make_unique<State>(comm, pattern, std::move(in_turn), scheme, style, threads,
                                     halos)) {}
StyledExchange::~StyledExchange() = default;
StyledExchange::StyledExchange(StyledExchange&&) noexcept = default;
StyledExchange& StyledExchange::operator=(StyledExchange&&) noexcept = default;

void StyledExchange::step(const Sweep& sweep, std::size_t field) {
  if (!state_->choosing) return state_->step(sweep, field);
  State::Choosing& now = *state_->choosing;
  if (!std::exchange(now.looked, true) && state_->recall(sweep)) {
    settle();
    return state_->step(sweep, field);
  }
  if (now.contest.begins()) {
    state_->finish();
    state_->take(now.contest.style());
    now.seconds = 0;
  }
  const auto begin = Clock::now();
  state_->step(sweep, field);
  const bool visited = now.contest.step();
  if (visited) state_->finish();
  now.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
  if (!visited) return;
  now.contest.took(state_->slowest(now.seconds));
  if (!now.contest.decided()) return;
  if (mpi::rank(now.comm) == 0) detail::remember_style(now.situation, now.contest);
  state_->take(now.contest.style());
  settle();
}

/// `auto` has become what it has taken.
void StyledExchange::settle() {
  State::Choosing chosen = std::move(*state_->choosing);
  state_->choosing.reset();
  if (state_->style != "multiple") return state_->take(state_->style);
  chosen.multiple->times = state_->times;
  state_ = std::move(chosen.multiple);
}

void StyledExchange::run(std::size_t field) {
  state_->step({}, field);
}

void StyledExchange::touch(std::span<const Touched> border) {
  if (style() == "partitioned" || state_->choosing)
    state_->border.emplace(state_->pieces.front(), border);
}

void StyledExchange::finish() {
  state_->finish();
}

bool StyledExchange::direct() const noexcept {
  return state_->turns.front().exchanges.front().direct();
}

View StyledExchange::view(std::size_t link, std::size_t block, std::size_t field) const {
  return state_->turns.at(field).exchanges.front().view(link, block);
}

const Style& StyledExchange::style() const noexcept {
  return state_->choosing ? state_->choosing->asked : state_->style;
}
const Scheme& StyledExchange::scheme() const noexcept {
  return state_->turns.front().exchanges.front().scheme();
}

std::size_t StyledExchange::bytes_sent() const noexcept {
  std::size_t bytes = 0;
  for (const Exchange& exchange : state_->turns.front().exchanges) bytes += exchange.bytes_sent();
  return bytes;
}

double StyledExchange::share() const noexcept {
  return state_->share;
}

void StyledExchange::measure(bool on) noexcept {
  for (State::Turn& turn : state_->turns)
    for (Exchange& exchange : turn.exchanges) exchange.measure(on);
}

ExchangeTimes StyledExchange::phases() const {
  ExchangeTimes sum;
  for (const State::Turn& turn : state_->turns)
    for (const Exchange& exchange : turn.exchanges) sum += exchange.times();
  const auto threads = static_cast<double>(state_->pieces.size());
  return {sum.pack / threads, sum.transfer / threads, sum.wait / threads};
}

const StyleTimes& StyledExchange::times() const noexcept {
  return state_->times;
}

void StyledExchange::reset_times() noexcept {
  state_->times = {};
  for (State::Turn& turn : state_->turns)
    for (Exchange& exchange : turn.exchanges) exchange.reset_times();
}

}  // namespace halocline
