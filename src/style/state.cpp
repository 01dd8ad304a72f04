#include "state.hpp"

#include "exchange/core/registry.hpp"
#include "mpi/collectives.hpp"
#include "mpi/made_together.hpp"

#include <halocline/more/activity.hpp>
#include <halocline/more/events.hpp>
#include <halocline/more/mpi.hpp>
#include <halocline/more/waiting.hpp>

#include <algorithm>
#include <utility>

namespace halocline {

namespace {

/// Why this rank cannot carry out the style; empty if it can.
std::string style_complaint(const Style& style, int threads, std::size_t fields) {
  if (threads < 1) return "style '" + style.str() + "': needs 1 thread or more";
  if (fields == 0) return "style '" + style.str() + "': there is no field to exchange";
  int given = MPI_THREAD_SINGLE;
  HALOCLINE_MPI(MPI_Query_thread, &given);
  if (given >= style.thread_level() || style == "auto") return {};
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

StyledExchange::State::StyledStep StyledExchange::State::step_of(const std::string& style) {
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
    : style(style_),
      threads(threads_),
      halos(halos_),
      styled_step(step_of(style.str())),
      balance(std::max(threads, 0)) {
  mpi::agree(comm, style_complaint(style, threads, in_turn.size()));
  const Yielding polite = while_others_compute();
  int exchanges = 1;
  if (style == "multiple") {
    exchanges = mpi::reduced(comm, threads, MPI_MAX);
    comms = std::make_shared<std::vector<mpi::Comm>>();
    for (int i = 0; i < exchanges; ++i) comms->push_back(mpi::Comm::duplicate(comm));
    comms = mpi::ended_together(comm, std::move(comms));
  }
  if (exchanges > 1) halos = Halos::filled;  // a link of the caller's is in several
  for (int i = 0; i < exchanges; ++i) patterns.push_back(detail::piece_of(pattern, i, exchanges));
  Scheme chosen = scheme;
  for (Field& given : in_turn) {
    FieldExchange& field = fields.emplace_back();
    field.field = std::move(given);
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      field.exchanges.emplace_back(comms == nullptr ? comm : (*comms)[i].get(), patterns[i],
                                   std::vector{field.field}, chosen,
                                   ExchangeOptions{.halos = halos});
      if (!detail::chosen_while_running(scheme)) chosen = field.exchanges.back().scheme();
    }
  }
  const bool styles = style == "auto";
  if (styles || detail::chosen_while_running(scheme)) begin_choosing(comm, styles);
  if (style != "partitioned" && !styles) return;
  // What stays on a rank is copied when an exchange begins, and does not arrive part by part.
  early = mpi::all_of(comm, pattern.copies_to().blocks.empty());
  // To wait for no element tells whether one could wait for some.
  by_parts =
      early && !pattern.receives().empty() && fields.front().exchanges.front().await(0, 0, 0);
}

void StyledExchange::State::step(const Sweep& sweep, std::size_t field) {
  Problems problems;
  (this->*styled_step)(sweep, fields.at(field), problems);
  problems.rethrow();
}

void StyledExchange::State::finish() {
  for (FieldExchange& field : fields)
    if (std::exchange(field.begun, false)) {
      const Yielding polite = while_others_compute();
      field.exchanges.front().finish();
    }
}

void StyledExchange::State::take(const Style& another) {
  style = another;
  const bool of_another = choosing && choosing->multiple && style == "multiple";
  styled_step = of_another ? &State::other_multiple : step_of(style.str());
}

void StyledExchange::State::exchange(FieldExchange& field, Problems& problems, int thread) {
  problems.exchange([&] {
    double none = 0;
    const Yielding polite = while_others_compute();
    const detail::Stopwatch timed(thread == 0 || style != "multiple" ? times.exchange : none);
    for (auto i = static_cast<std::size_t>(thread); i < field.exchanges.size();
         i += static_cast<std::size_t>(threads)) {
      field.exchanges[i].start();
      field.exchanges[i].finish();
    }
  });
}

void StyledExchange::State::sweep(const Sweep::Piece& piece, Share units, Problems& problems) {
  if (units.begin >= units.end) return;
  problems.sweep([&] {
    const int thread = omp_get_thread_num();
    double none = 0;
    const detail::Stopwatch timed(thread == 0 ? times.sweep : none);
    const trace::Region region("sweep", Activity::compute);
    piece(units.begin, units.end, thread);
  });
}

void StyledExchange::State::sweep_all(const Sweep& all, Problems& problems) {
  const int me = omp_get_thread_num(), of = omp_get_num_threads();
  sweep(all.sweep_inner, Share(all.inner, me, of), problems);
  sweep(all.sweep_border, Share(all.border, me, of), problems);
}

std::size_t StyledExchange::State::bytes_sent() const noexcept {
  std::size_t bytes = 0;
  for (const Exchange& exchange : fields.front().exchanges) bytes += exchange.bytes_sent();
  return bytes;
}

}  // namespace halocline
