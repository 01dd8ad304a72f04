#include "registry.hpp"

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

model::Step describe(const Scheme& scheme, const model::Links& links) {
  return describe(chosen(scheme, links), links);
}

model::Chosen chosen(const Scheme& scheme, const model::Links& links) {
  model::Chosen chosen{scheme.method()};
  if (scheme.has("heads") && !scheme.is("heads", "off")) {
    if (links.several_islands && links.hops.empty())
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
