#include <halocline/more/async_exchange.hpp>

#include "async_registry.hpp"
#include "base/text.hpp"
#include "exchange/core/fields_check.hpp"
#include "exchange/core/pattern_check.hpp"
#include "exchange/core/registry.hpp"
#include "exchange/routes/on_device.hpp"
#include "exchange/shm/island_links.hpp"
#include "mpi/made_together.hpp"
#include "mpi/refusal.hpp"

#include <algorithm>

namespace halocline {

using detail::AsyncMethod;
using detail::AsyncMethodFacts;

namespace {

void must_be_on_host(const void* cells, const Scheme& scheme) {
  detail::must_be_on_host(cells, scheme.str() + ", asynchronous", "asynchronous exchanges");
}

/// Why this cannot be an asynchronous exchange; empty if it can.
std::string async_complaint(std::size_t element_bytes, const Scheme& scheme,
                            const AsyncOptions& options) {
  const AsyncMethodFacts* const method = detail::find_async(scheme.method());
  if (method == nullptr)
    return scheme.method() + " cannot be asynchronous; these can: " + base::joined(async_schemes());
  const std::string begin = scheme.str() + ", asynchronous: ";
  const auto knows = [&](const std::string& option) {
    return std::find(method->options.begin(), method->options.end(), option) !=
           method->options.end();
  };
  const detail::MethodFacts& facts = detail::facts(scheme);
  for (const detail::OptionFacts& option : facts.options)
    if (!knows(option.name) && !scheme.is(option.name, option.values.front()))
      return begin + option.name + " has no meaning there; drop " + option.name;
  if (options.buffers < 1)
    return begin + "there are " + std::to_string(options.buffers) +
           " buffers; each link needs at least 1";
  if (options.racy && !method->unread_racy)
    return scheme.method() + " cannot be racy; these can: " + base::joined(async_schemes(true));
  if (options.racy && element_bytes != 8)
    return begin + "elements of " + std::to_string(element_bytes) +
           " bytes might be torn; racy exchanges take elements of 8 bytes";
  if (facts.within_islands) return async_complaint(element_bytes, scheme.option("outer"), options);
  return {};
}

}  // namespace

struct AsyncExchange::State {
  Scheme scheme;
  AsyncOptions options;
  std::size_t element_bytes;
  Pattern counts;                                ///< no links: in what arrays elements are counted
  std::size_t extent;                            ///< of the pattern
  std::unique_ptr<AsyncMethod> inside, outside;  ///< one of them, or both where islands differ
  std::vector<detail::LinkPlace> places;         ///< of the receive links
  detail::LayoutCopy local;
  std::uint16_t traced = 0;
  std::uint32_t iteration = 0;  ///< of the newest cells that were offered

  template <class Call>
  void each(Call&& call) const {
    for (const auto& method : {inside.get(), outside.get()})
      if (method != nullptr) call(*method);
  }
  /// Elements that stay on this rank.
  void copy(void* cells, void* twin) const {
    const trace::Event event(Activity::pack);
    const detail::Bases from{static_cast<std::byte*>(cells)};
    for (void* to : {cells, twin})
      if (to != nullptr) local.run(from, {static_cast<std::byte*>(to)});
  }
};

AsyncExchange::AsyncExchange(MPI_Comm comm, const Pattern& pattern, std::size_t element_bytes,
                             const Scheme& scheme, const AsyncOptions& options) {
  const mpi::Making making(comm);
  detail::Channel own = detail::Channel::on(comm);
  mpi::agree(own, element_bytes == 0 ? "asynchronous exchange: elements of 0 bytes" : "");
  mpi::agree(own, async_complaint(element_bytes, scheme, options));
  const auto clash = detail::find_clash(pattern, /*apart=*/true);
  const bool two_way = detail::check_pattern(
      own, pattern, element_bytes,
      clash ? "asynchronous exchange: rank " + std::to_string(mpi::rank(own)) + ": " + clash->text()
            : "");

  const std::vector<Field> cells{{.data = nullptr, .element_bytes = element_bytes}};
  const detail::Layout from(pattern.copies_from().blocks, cells);
  const detail::Layout to(pattern.copies_to().blocks, cells);
  auto state = std::make_shared<State>(
      State{scheme, options, element_bytes, {}, pattern.extent(), {}, {}, {}, {from, to}});
  state->counts.count_as(pattern);
  const std::string kind = options.racy ? ", racy" : ", asynchronous";
  const auto traced = [&](const std::vector<Link>& links) {
    std::vector<trace::detail::Link> all;
    for (const Link& link : links) all.push_back({link.peer, link.size() * element_bytes});
    return all;
  };
  state->traced = trace::detail::describe(own, scheme.str() + kind, traced(pattern.sends()),
                                          traced(pattern.receives()), detail::waits::for_nobody);
  const auto make = [&](detail::Channel channel, const Pattern& part, const Scheme& by) {
    return detail::find_async(by.method())
        ->make({std::move(channel), part, cells, by, two_way}, options);
  };
  if (!detail::facts(scheme).within_islands) {
    for (std::size_t link = 0; link < pattern.receives().size(); ++link)
      state->places.push_back({false, link});
    state->inside = make(std::move(own), pattern, scheme);
    state_ = mpi::ended_together(comm, std::move(state));
    return;
  }
  const IslandSpec spec = scheme.islands();
  detail::IslandLinks links = detail::split_links(pattern, own.shared<Islands>(spec.str(), spec));
  state->places = std::move(links.places);
  if (!mpi::all_of(own, links.outside.empty()))
    state->outside = make(own.another(), links.outside, scheme.option("outer"));
  state->inside = make(std::move(own), links.inside, scheme);
  state_ = mpi::ended_together(comm, std::move(state));
}

AsyncExchange::~AsyncExchange() = default;
AsyncExchange::AsyncExchange(AsyncExchange&&) noexcept = default;
AsyncExchange& AsyncExchange::operator=(AsyncExchange&&) noexcept = default;

AsyncExchange::State& AsyncExchange::state() const {
  if (!state_)
    throw Error("asynchronous exchange: this one has been moved from; use the one it was moved to");
  return *state_;
}

void* AsyncExchange::cells_of(const Field& field) const {
  const State& made = state();
  if (const std::string wrong =
          detail::cells_complaint(made.counts, made.extent, made.element_bytes, field);
      !wrong.empty())
    throw Error(made.scheme.str() + ", asynchronous: " + wrong);
  return field.data;
}

void AsyncExchange::send(const void* cells, std::uint64_t iteration) {
  maybe_delay();
  must_be_on_host(cells, state().scheme);
  if (iteration == 0)
    throw Error(state().scheme.str() + ", asynchronous: iterations count from 1; 0 is before any");
  state().iteration = static_cast<std::uint32_t>(iteration);
  const trace::detail::StepPart part(Activity::begin_step, state().traced, state().iteration);
  state().each([&](AsyncMethod& method) { method.send(cells, iteration); });
}

std::size_t AsyncExchange::receive(void* cells, void* twin) {
  maybe_delay();
  for (const void* halo : {cells, twin}) must_be_on_host(halo, state().scheme);
  const trace::detail::StepPart part(Activity::end_step, state().traced, state().iteration);
  std::size_t links = 0;
  state().each([&](AsyncMethod& method) { links += method.receive(cells, twin); });
  state().copy(cells, twin);
  return links;
}

void AsyncExchange::drain(void* cells, void* twin) {
  for (const void* halo : {cells, twin}) must_be_on_host(halo, state().scheme);
  state().each([&](AsyncMethod& method) { method.drain(cells, twin); });
  state().copy(cells, twin);
}

std::uint64_t AsyncExchange::iteration_of(std::size_t link) const {
  const std::size_t links = state().places.size();
  if (link >= links)
    throw Error("asynchronous exchange: link " + std::to_string(link) + ", but " +
                std::to_string(links) + " are received");
  const detail::LinkPlace place = state().places[link];
  return (place.outer ? state().outside : state().inside)->iteration_of(place.index);
}

AsyncCounts AsyncExchange::counts() const {
  AsyncCounts sum;
  state().each([&](const AsyncMethod& method) {
    sum.sent += method.counts().sent;
    sum.skipped += method.counts().skipped;
    sum.received += method.counts().received;
    sum.superseded += method.counts().superseded;
  });
  return sum;
}

const Scheme& AsyncExchange::scheme() const {
  return state().scheme;
}
const AsyncOptions& AsyncExchange::options() const {
  return state().options;
}

std::vector<SchemeFacts> known_async_schemes(bool racy) {
  std::vector<SchemeFacts> schemes;
  for (const AsyncMethodFacts& method : detail::async_registry())
    if (!racy || method.unread_racy)
      schemes.push_back({method.name, method.summary, detail::find_method(method.name)->missing()});
  return schemes;
}

std::vector<std::string> async_schemes(bool racy) {
  std::vector<std::string> names;
  for (const SchemeFacts& known : known_async_schemes(racy))
    if (known.unavailable.empty()) names.push_back(known.scheme);
  return names;
}

}  // namespace halocline
