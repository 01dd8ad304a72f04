// The interface: what a caller asks of the state of its style.

#include "state.hpp"

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
  if (state().choosing && state().recall(sweep)) settle();
  if (!state().choosing) return state().step(sweep, field);
  if (state().measured_step(sweep, field)) settle();
}

void StyledExchange::run(std::size_t field) {
  state().step({}, field);
}

void StyledExchange::touch(std::span<const Touched> border) {
  if (style() == "partitioned" || state().choosing)
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
  return state().choosing ? state().choosing->asked : state().style;
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
  for (State::FieldExchange& field : state().fields)
    for (Exchange& exchange : field.exchanges) exchange.measure(on);
}

ExchangeTimes StyledExchange::phases() const {
  ExchangeTimes sum;
  for (const State::FieldExchange& field : state().fields)
    for (const Exchange& exchange : field.exchanges) sum += exchange.times();
  const auto threads = static_cast<double>(state().patterns.size());
  return {sum.pack / threads, sum.transfer / threads, sum.wait / threads};
}

const StyleTimes& StyledExchange::times() const {
  return state().times;
}

void StyledExchange::reset_times() {
  state().times = {};
  for (State::FieldExchange& field : state().fields)
    for (Exchange& exchange : field.exchanges) exchange.reset_times();
}

}  // namespace halocline
