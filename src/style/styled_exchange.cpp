// The interface: what a caller asks of the state of its style.

#include "state.hpp"

#include "tuner/running.hpp"

#include <utility>

namespace halocline {

StyledExchange::StyledExchange(MPI_Comm comm, const Pattern& pattern, std::vector<Field> in_turn,
                               const Scheme& scheme, const Style& style, int threads, Halos halos)
    : state_(std::make_unique<State>(comm, pattern, std::move(in_turn), scheme, style, threads,
                                     halos)) {}
StyledExchange::~StyledExchange() = default;
StyledExchange::StyledExchange(StyledExchange&&) noexcept = default;
StyledExchange& StyledExchange::operator=(StyledExchange&&) noexcept = default;

StyledExchange::State& StyledExchange::state() const {
  if (!state_)
    throw Error("styled exchange: this one has been moved from; use the one it was moved to");
  return *state_;
}

void StyledExchange::step(const Sweep& sweep, std::size_t field) {
  if (state().choosing) state().choose(sweep);
  state().step(sweep, field);
}

void StyledExchange::join(Section& section) {
  auto& choosing = state().choosing;
  if (!choosing)
    throw Error(
        "styled exchange: it chooses nothing in a section; make it with style auto, or with "
        "auto+when=running");
  if (std::exchange(choosing->begun, true))
    throw Error(
        "styled exchange: its own steps choose already, or a section; join one, and before "
        "the first step");
  if (choosing->scheme) detail::SectionMembers::add(section, choosing->scheme);
  if (choosing->style) detail::SectionMembers::add(section, choosing->style);
}

void StyledExchange::run(std::size_t field) {
  state().step({}, field);
}

void StyledExchange::touch(std::span<const Touched> border) {
  if (state().style == "partitioned" || (state().choosing && state().choosing->style))
    state().border.emplace(state().patterns.front(), border);
}

void StyledExchange::finish() {
  state().finish();
}

bool StyledExchange::direct() const {
  return state().fields.front().exchanges.front().direct();
}

HaloView StyledExchange::view(std::size_t link, std::size_t block, std::size_t field) const {
  return state().fields.at(field).exchanges.front().view(link, block);
}

const Style& StyledExchange::style() const {
  return state().style_of_most();
}
const Scheme& StyledExchange::scheme() const {
  return state().fields.front().exchanges.front().scheme();
}

std::size_t StyledExchange::bytes_sent() const {
  return state().bytes_sent();
}

double StyledExchange::share() const {
  return state().balance.share();
}

void StyledExchange::measure(bool on) {
  state().measures = on;
  state().each_exchange([on](Exchange& exchange) { exchange.measure(on); });
}

ExchangeTimes StyledExchange::phases() const {
  ExchangeTimes sum;
  const auto add = [&sum](const State& of) {
    const auto threads = static_cast<double>(of.patterns.size());
    for (const State::FieldExchange& field : of.fields)
      for (const Exchange& exchange : field.exchanges) {
        const ExchangeTimes& one = exchange.times();
        sum += {one.pack / threads, one.transfer / threads, one.wait / threads};
      }
  };
  add(state());
  if (state().choosing && state().choosing->multiple) add(*state().choosing->multiple);
  return sum;
}

const StyleTimes& StyledExchange::times() const {
  return state().times;
}

void StyledExchange::reset_times() {
  state().times = {};
  state().each_exchange([](Exchange& exchange) { exchange.reset_times(); });
}

}  // namespace halocline
