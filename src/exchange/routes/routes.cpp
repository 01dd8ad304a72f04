#include "routes.hpp"

#include "combine.hpp"
#include "combining.hpp"
#include "heads.hpp"
#include "mpi/refusal.hpp"
#include "on_device.hpp"
#include "packed.hpp"
#include "staged.hpp"

#include <algorithm>
#include <array>

namespace halocline::detail {

namespace {

struct Route {
  bool (*is_taken)(const Setup&);
  std::unique_ptr<Method> (*make)(Setup);
  /// The same of descriptions. Null: nothing that the model knows of.
  bool (*is_described)(const model::Chosen&, const model::Links&) = nullptr;
  model::Step (*describe)(const model::Chosen&, const model::Links&) = nullptr;
};

/// In this order, behind frames.
constexpr std::array<Route, 5> routes{{
    {combines_here, make_combining},
    {forwards, make_staged, forwards, describe_staged},
    {on_device, make_on_device},
    {goes_packed, make_packed},
    {goes_by_heads, make_by_heads, goes_by_heads, describe_by_heads},
}};

/// Where the caller does not read in place, a scheme that would leave cells with the neighbour
/// copies them.
Scheme permitted(const Scheme& scheme, Halos halos) {
  const bool copies = halos != Halos::in_place && scheme.reads_in_place();
  return copies ? scheme.with("access", "copy") : scheme;
}

/// Throws the same Error on all ranks if the method combines these numbers in an order of MPI's.
void refuse_order_of_mpi(const Setup& setup) {
  const Scheme& scheme = setup.scheme;
  if (setup.any_order || setup.combine == Combine::replace || !facts(scheme).combines) return;
  const auto fields = setup.receive_fields();
  const auto found =
      std::ranges::find_if(fields, [](const Field& field) { return order_matters(field.number); });
  mpi::agree(setup.comm,
             found == fields.end()
                 ? ""
                 : scheme.str() + ": MPI combines what arrives in an order of its own, so that " +
                       name(found->number) + " gets other last digits in each run; take " +
                       facts(scheme).from_buffers +
                       ", which combines in the pattern's order, or say that any order will do "
                       "(ExchangeOptions::any_order)");
}

}  // namespace

void add_routes(MethodFacts& method) {
  // Schemes are written in this order.
  std::vector<OptionFacts> options{corners_option(), heads_option(), device_option()};
  if (method.chooses) options.erase(options.begin(), options.end() - 1);
  // The outer scheme comes last in a scheme's text.
  const auto outer = std::find_if(method.options.begin(), method.options.end(),
                                  [](const OptionFacts& option) { return option.name == "outer"; });
  method.options.insert(outer, options.begin(), options.end());
}

model::Links without_kept(model::Links links) {
  links.kept_bytes = links.kept_pieces = 0;
  links.stages.clear();
  for (model::Links& hop : links.hops) hop.kept_bytes = hop.kept_pieces = 0;
  return links;
}

void set_in_one_piece(std::vector<model::LinkSize>& links) {
  for (model::LinkSize& link : links) link.pieces = 1, link.lines = 0;
}

std::unique_ptr<Method> make_method(Setup setup) {
  const mpi::Making making(setup.comm);
  if (setup.unbound) setup.halos = Halos::filled;
  setup.scheme = permitted(setup.scheme, setup.halos);
  refuse_order_of_mpi(setup);
  // Where it is chosen while the program runs, each candidate goes its own way.
  if (!chosen_while_running(setup.scheme))
    for (const Route& route : routes)
      if (route.is_taken(setup)) return route.make(std::move(setup));
  const MethodFacts& method = facts(setup.scheme);
  return method.make(std::move(setup));
}

model::Step describe(const model::Chosen& chosen, const model::Links& links) {
  for (const Route& route : routes)
    if (route.describe != nullptr && route.is_described(chosen, links))
      return route.describe(chosen, links);
  const MethodFacts* const method = find_method(chosen.method);
  if (method == nullptr || method->describe == nullptr)
    throw Error(chosen.method +
                ": nothing says what it does in a step; a method's file does, by "
                "MethodFacts::describe");
  return method->describe(chosen, links);
}

}  // namespace halocline::detail
