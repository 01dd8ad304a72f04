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

void StyledExchange::step(const Sweep& sweep, std::size_t field) {
  if (state_->choosing && state_->recall(sweep)) settle();
  if (!state_->choosing) return state_->step(sweep, field);
  if (state_->measured_step(sweep, field)) settle();
}

void StyledExchange::run(std::size_t field) {
  state_->step({}, field);
}

void StyledExchange::touch(std::span<const Touched> border) {
  if (style() == "partitioned" || state_->choosing)
    state_->border.emplace(state_->patterns.front(), border);
}

void StyledExchange::finish() {
  state_->finish();
}

bool StyledExchange::direct() const noexcept {
  return state_->fields.front().exchanges.front().direct();
}

View StyledExchange::view(std::size_t link, std::size_t block, std::size_t field) const {
  return state_->fields.at(field).exchanges.front().view(link, block);
}

const Style& StyledExchange::style() const noexcept {
  return state_->choosing ? state_->choosing->asked : state_->style;
}
const Scheme& StyledExchange::scheme() const noexcept {
  return state_->fields.front().exchanges.front().scheme();
}

std::size_t StyledExchange::bytes_sent() const noexcept {
  return state_->bytes_sent();
}

double StyledExchange::share() const noexcept {
  return state_->balance.share();
}

void StyledExchange::measure(bool on) noexcept {
  for (State::FieldExchange& field : state_->fields)
    for (Exchange& exchange : field.exchanges) exchange.measure(on);
}

ExchangeTimes StyledExchange::phases() const {
  ExchangeTimes sum;
  for (const State::FieldExchange& field : state_->fields)
    for (const Exchange& exchange : field.exchanges) sum += exchange.times();
  const auto threads = static_cast<double>(state_->patterns.size());
  return {sum.pack / threads, sum.transfer / threads, sum.wait / threads};
}

const StyleTimes& StyledExchange::times() const noexcept {
  return state_->times;
}

void StyledExchange::reset_times() noexcept {
  state_->times = {};
  for (State::FieldExchange& field : state_->fields)
    for (Exchange& exchange : field.exchanges) exchange.reset_times();
}

}  // namespace halocline
