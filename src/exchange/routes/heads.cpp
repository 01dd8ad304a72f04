#include "heads.hpp"

#include "exchange/core/consensus.hpp"
#include "exchange/core/inner.hpp"
#include "exchange/core/pattern_check.hpp"
#include "exchange/core/trade.hpp"
#include "exchange/shm/island_links.hpp"
#include "mpi/collectives.hpp"
#include "pattern/heads_plan.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace halocline::detail {

namespace {

using by_heads::HeadsPlan;
using by_heads::HeadsPlanner;
using Integers = HeadsPlanner::Told;

// --- Who is where ----------------------------------------------------------------------------

const Islands& islands_of(const Setup& setup) {
  const IslandSpec spec(setup.scheme.option("heads"));
  return setup.comm.shared<Islands>(spec.str(), spec);
}

/// The heads of the ranks that something is sent to, by whom it is received: a rank knows of no
/// others. Collective.
std::map<int, int> heads_of_targets(const Channel& comm, const Pattern& outside, int mine) {
  const auto peers = [](const std::vector<Link>& links) {
    std::vector<int> all;
    for (const Link& link : links)
      if (link.size() > 0) all.push_back(link.peer);
    return all;
  };
  const std::vector<int> targets = peers(outside.sends()), sources = peers(outside.receives());
  const auto theirs =
      trade(comm, sources, std::vector<std::int64_t>(sources.size(), mine), targets, 1);
  std::map<int, int> heads;
  for (std::size_t i = 0; i < targets.size(); ++i) heads[targets[i]] = static_cast<int>(theirs[i]);
  return heads;
}

/// `outside`: the links to other islands. Collective.
HeadsPlan plan_of(const Channel& comm, Pattern outside, const Islands& islands) {
  const int head = mpi::from_rank(islands.island(), 0, mpi::rank(comm));
  const auto heads = heads_of_targets(comm, outside, head);
  HeadsPlanner planner(mpi::rank(comm), std::move(outside), head, heads);
  const std::vector<Integers> of_island = mpi::gathered(islands.island(), planner.told());
  HeadsPlanner::ByHead mine;
  if (planner.is_head()) mine = planner.pass_on(of_island);
  const HeadsPlanner::ByHead of_heads = sparse_exchange(comm, mine);
  if (planner.is_head()) planner.take(of_heads);
  return planner.plan();
}

// --- The method ------------------------------------------------------------------------------

const std::string& from_buffers(const MethodFacts& method) {
  return method.from_buffers.empty() ? method.name : method.from_buffers;
}

/// The scheme with the defaults of some options.
Scheme without(const Scheme& scheme, std::initializer_list<std::string_view> options,
               std::string method) {
  for (const OptionFacts& option : find_method(scheme.method())->options)
    if (std::ranges::find(options, option.name) == options.end())
      method += "+" + option.name + "=" + scheme.option(option.name);
  return Scheme(method);
}

class ByHeads final : public Method {
 public:
  explicit ByHeads(Setup s) : Method(std::move(s)) {
    const Islands& islands = islands_of(setup());
    IslandLinks links = split_links(pattern(), islands);
    for (std::size_t i = 0; i < pattern().copies_from().blocks.size(); ++i)
      links.inside.copy(pattern().copies_from().blocks[i], pattern().copies_to().blocks[i]);
    places_ = std::move(links.places);
    // A channel of its own: who is ahead may already ask on this exchange's (consensus.hpp).
    const HeadsPlan plan = plan_of(setup().comm.another(), std::move(links.outside), islands);

    // Cells in buffers have been written anew while others may still read those of the step before,
    // and windows on the fields are the inner exchange's.
    const MethodFacts& method = facts(scheme());
    const std::string_view pack = method.one_sided ? "pack" : "";
    const Scheme buffers =
        without(scheme(), {"heads", "access", "alloc", pack}, from_buffers(method));
    const std::vector<Field> leaves = buffer(plan.leaves, buffers),
                             comes = buffer(plan.comes, buffers);
    const std::span<const Field> from = setup().send_fields(), to = setup().receive_fields();

    inner_ = Inner(
        checked(setup().another(without(scheme(), {"heads"}, scheme().method()), links.inside)));
    const auto stage = [&](const Scheme& by, const Pattern& way, std::span<const Field> begin,
                           std::span<const Field> end, Combine combine) {
      Setup one = setup().another(by, way);
      one.fields.assign(begin.begin(), begin.end());
      one.fields.insert(one.fields.end(), end.begin(), end.end());
      one.apart = true;
      one.framing = nullptr;
      one.combine = combine;
      one.halos = Halos::filled;
      return Inner(checked(std::move(one)));
    };
    gather_ = stage(buffers, plan.gather, from, leaves, Combine::replace);
    forward_ = stage(buffers, plan.forward, leaves, comes, Combine::replace);
    const bool adds = setup().combine != Combine::replace;
    scatter_ = stage(adds ? without(scheme(), {"heads", "alloc"}, scheme().method()) : buffers,
                     plan.scatter, comes, to, setup().combine);
  }

  bool direct() const noexcept override { return inner_.method().direct(); }
  HaloView view(std::size_t link, std::size_t block, std::size_t field) const override {
    const LinkPlace place = places_.at(link);
    return place.outer ? Method::view(link, block, field)
                       : inner_.method().view(place.index, block, field);
  }

  std::size_t avoidable_bytes() const override { return inner_.method().avoidable_bytes(); }

  void start() override {
    gather_.start(measuring);
    inner_.start(measuring);
  }

  void finish() override {
    gather_.finish(times);
    forward_.start(measuring);
    inner_.finish(times);
    forward_.finish(times);
    scatter_.start(measuring);
    scatter_.finish(times);
  }

 private:
  static Setup checked(Setup setup) {
    setup.two_way = check_pattern(setup);
    return setup;
  }

  /// So many elements of each field, in memory that suits the scheme.
  std::vector<Field> buffer(std::int64_t elements, const Scheme& suits) const {
    std::vector<Field> fields;
    for (Field field : setup().send_fields()) {
      field.elements = static_cast<std::size_t>(std::max<std::int64_t>(1, elements));
      field.memory = memory_for(comm(), field.elements * field.element_bytes, suits);
      field.data = field.memory.data();
      field.shape = {};
      field.read_only = false;
      fields.push_back(field);
    }
    return fields;
  }

  std::vector<LinkPlace> places_;
  Inner inner_, gather_, forward_, scatter_;
};

}  // namespace

OptionFacts heads_option() {
  return {"heads", {"off", "node", "2"}, [](const std::string& text) {
            if (text != "off") IslandSpec{text};
          }};
}

bool goes_by_heads(const Setup& setup) {
  if (!setup.scheme.has("heads") || setup.scheme.is("heads", "off")) return false;
  const Islands& islands = islands_of(setup);
  return islands.count() > 1 &&
         !mpi::all_of(setup.comm, split_links(setup.pattern, islands).outside.empty());
}

std::unique_ptr<Method> make_by_heads(Setup setup) {
  return std::make_unique<ByHeads>(std::move(setup));
}

bool goes_by_heads(const model::Chosen& chosen, const model::Links& links) {
  return !links.hops.empty() && chosen.options.contains("heads");
}

model::Step describe_by_heads(const model::Chosen& chosen, const model::Links& links) {
  model::Chosen inside = chosen, buffered = chosen;
  inside.options.erase("heads");
  // From buffer to buffer, and so packed, and put where it would be added.
  for (const char* option : {"heads", "access"}) buffered.options.erase(option);
  if (const MethodFacts* const method = find_method(chosen.method)) {
    if (method->one_sided) buffered.options.erase("pack");
    buffered.method = from_buffers(*method);
  }
  std::array<model::Step, model::hops_by_heads> hops;
  model::Step step;
  for (std::size_t hop = 0; hop < hops.size(); ++hop) {
    model::Step& one = hops[hop];
    one = describe(hop == model::within_islands ? inside : buffered, links.hops.at(hop));
    for (auto* const half : {&one.start, &one.finish})
      for (model::Operation& operation : *half) operation.exchange = static_cast<int>(hop);
    step.buffer_bytes += one.buffer_bytes;
    step.window_bytes += one.window_bytes;
  }
  const auto& [within, gather, forward, scatter] = hops;
  const model::Links& between = links.hops[model::between_heads];
  for (const auto* const side : {&between.sends, &between.receives})
    for (const model::LinkSize& link : *side) step.buffer_bytes += link.bytes;
  model::Script start(step.start), finish(step.finish);
  start.then(gather.start);
  start.then(within.start);
  finish.then(gather.finish);
  finish.then(forward.start);
  finish.then(within.finish);
  finish.then(forward.finish);
  finish.then(scatter.start);
  finish.then(scatter.finish);
  return step;
}

}  // namespace halocline::detail
