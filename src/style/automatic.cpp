// `auto`: laps from one step to the next choose the style, the scheme, or both.

#include "state.hpp"

#include "mpi/collectives.hpp"
#include "tuner/running.hpp"

#include <halocline/more/islands.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/wait.hpp>

#include <algorithm>
#include <utility>

namespace halocline {

namespace {

/// Steps between looks whether the choice that is kept is still the choice.
constexpr long keeping_period = 4096;

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

void StyledExchange::State::begin_choosing(MPI_Comm comm, bool styles) {
  choosing.emplace(methods::Channel::on(comm));
  std::vector<std::shared_ptr<detail::Choosable>> schemes;
  each_exchange([&](Exchange& exchange) {
    if (auto one = detail::SectionMembers::of(exchange)) schemes.push_back(std::move(one));
  });
  if (!schemes.empty())
    choosing->scheme = std::make_shared<detail::CommonChoice>(std::move(schemes), true);
  if (!styles) return;
  const bool in_place = fields.front().exchanges.front().direct();
  choosing->style = std::make_shared<detail::StyleChoice>(
      possible_styles(in_place), [this](const Style& one) { prepare_multiple(one); });
  if (std::ranges::find(choosing->style->styles(), Style("multiple")) !=
      choosing->style->styles().end())
    choosing->comm =
        mpi::ended_together(comm, std::make_shared<mpi::Comm>(mpi::Comm::duplicate(comm)));
  take(choosing->style->style());
}

/// With the scheme in use now.
void StyledExchange::State::prepare_multiple(const Style& multiple) {
  if (multiple != "multiple") return;
  std::vector<Field> in_turn;
  for (const FieldExchange& one : fields) in_turn.push_back(one.field);
  const Exchange& now = fields.front().exchanges.front();
  choosing->multiple =
      std::make_unique<State>(*choosing->comm, patterns.front(), std::move(in_turn), now.scheme(),
                              multiple, threads, halos);
  choosing->multiple->each_exchange([this](Exchange& one) { one.measure(measures); });
}

void StyledExchange::State::choose(const Sweep& sweep) {
  Choosing& now = *choosing;
  if (!std::exchange(now.begun, true)) begin_laps(sweep);
  if (now.laps) {
    const Yielding polite = while_others_compute();
    now.laps->end(1);
    now.laps->begin();
    if (now.laps->made() % keeping_period == 0) keep_choice();
  }
  if (!now.style || now.style->style() == style) return;
  finish();
  take(now.style->style());
}

void StyledExchange::State::begin_laps(const Sweep& sweep) {
  const bool settled = choosing->style && recall(sweep);
  if (settled && !choosing->scheme) return;
  choosing->laps.emplace(choosing->channel, "steps", detail::lap_rules(choosing->channel));
  if (choosing->scheme) choosing->laps->add(choosing->scheme);
  if (!choosing->style || settled) return;
  choosing->style_member = choosing->laps->members();
  choosing->laps->add(choosing->style);
}

bool StyledExchange::State::recall(const Sweep& sweep) {
  Choosing& now = *choosing;
  const MPI_Comm comm = now.channel;
  const Yielding polite = while_others_compute();
  const std::vector<std::int64_t> mine{sweep.inner, sweep.border,
                                       static_cast<std::int64_t>(bytes_sent()), threads,
                                       Patience::yields() ? 1 : 0};
  const auto most = mpi::reduced(comm, mine, MPI_MAX);
  now.situation = {.ranks = mpi::size(comm),
                   .nodes = Islands(comm).count(),
                   .threads = static_cast<int>(most[3]),
                   .scheme = fields.front().exchanges.front().scheme().str(),
                   .yielding = most[4] > 0,
                   .inner = most[0],
                   .border = most[1],
                   .bytes = most[2]};
  const std::vector<Style>& styles = now.style->styles();
  std::vector<int> known{-1, 0};
  mpi::together(comm, [&] {
    if (mpi::rank(comm) > 0) return;
    now.kept = detail::remembered_style(*now.situation);
    for (std::size_t i = 0; now.kept && i < styles.size(); ++i)
      if (styles[i].str() == now.kept->style) known = {static_cast<int>(i), now.kept->decided};
  });
  if (mpi::rank(comm) > 0) now.situation.reset();  // it keeps nothing
  known = mpi::from_rank(comm, 0, known);
  if (known[0] < 0 || !now.style->prepare(static_cast<std::size_t>(known[0])).empty()) return false;
  now.style->put_first(static_cast<std::size_t>(known[0]));
  now.known = true;
  return known[1] != 0;
}

bool StyledExchange::State::has_tried() const {
  return choosing->style_member && choosing->laps->has_tried(*choosing->style_member);
}

const Style& StyledExchange::State::style_of_most() const {
  static const Style undecided("auto");
  if (!choosing || !choosing->style || (choosing->begun && !choosing->style_member)) return style;
  if (!choosing->known && !has_tried()) return undecided;
  return choosing->style->styles()[choosing->laps->used_by(*choosing->style_member)];
}

void StyledExchange::State::keep_choice() {
  const Choosing& now = *choosing;
  if (!now.situation || !has_tried()) return;
  const detail::LapContest& contest = *now.laps->contest();
  const detail::RememberedStyle found{style_of_most().str(), contest.decided()};
  if (now.kept == found) return;
  std::vector<detail::TriedStyle> tried;
  for (const Style& one : now.style->styles()) {
    const auto& entrants = contest.entrants();
    const auto entrant =
        std::ranges::find(entrants, "style=" + one.str(), &detail::LapContest::Entrant::name);
    const double times =
        one.str() == found.style ? 1
        : entrant->quotients.empty()
            ? 0
            : contest.times(static_cast<std::size_t>(entrant - entrants.begin())).value;
    tried.push_back({one.str(), times * contest.lap()});
  }
  detail::remember_style(*now.situation, found, tried);
  choosing->kept = found;
}

StyledExchange::State::~State() {
  try {
    if (choosing) keep_choice();
  } catch (const std::exception&) {  // the next job finds out again
  }
}

}  // namespace halocline
