#include "registry.hpp"

#include "exchange/routes/heads.hpp"
#include "exchange/routes/staged.hpp"

namespace halocline {

namespace model {

std::string_view Chosen::part(std::size_t index) const {
  std::string_view rest = method;
  for (; index > 0; --index) {
    const auto colon = rest.find(':');
    if (colon == std::string_view::npos) return {};
    rest.remove_prefix(colon + 1);
  }
  return rest.substr(0, rest.find(':'));
}

std::pair<Links, Links> split(const Links& links) {
  Links inside = links, outside = links;
  const auto other = [](bool here) {
    return [here](const LinkSize& link) { return link.inside != here; };
  };
  for (auto* side : {&inside.sends, &inside.receives}) std::erase_if(*side, other(true));
  for (auto* side : {&outside.sends, &outside.receives}) std::erase_if(*side, other(false));
  outside.kept_bytes = outside.kept_pieces = 0;
  return {std::move(inside), std::move(outside)};
}

}  // namespace model

namespace detail {

model::Step describe(const model::Chosen& chosen, const model::Links& links) {
  if (forwards(chosen, links)) return describe_staged(chosen, links);
  if (goes_by_heads(chosen, links)) return describe_by_heads(chosen, links);
  const MethodFacts* const method = find_method(chosen.method);
  if (method == nullptr || method->describe == nullptr)
    throw Error(chosen.method +
                ": nothing says what it does in a step; a method's file does, by "
                "MethodFacts::describe");
  return method->describe(chosen, links);
}

model::Step describe(const Scheme& scheme, const model::Links& links) {
  return describe(chosen(scheme, links), links);
}

model::Chosen chosen(const Scheme& scheme, const model::Links& links) {
  model::Chosen chosen{scheme.method()};
  if (scheme.has("heads") && !scheme.is("heads", "off")) {
    if (links.several_islands && links.ways.empty())
      throw Error(scheme.str() +
                  ": what goes by heads depends on the links of all ranks of a node");
    chosen.options["heads"] = scheme.option("heads");
  }
  for (const OptionFacts& option : facts(scheme).options)
    if (option.name != "heads") chosen.options[option.name] = scheme.option(option.name);
  return chosen;
}

}  // namespace detail

}  // namespace halocline
