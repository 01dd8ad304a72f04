#pragma once
// corners=forwarded: a grid's halo along one axis after the other. In three dimensions 6 messages
// reach all 26 neighbours, because each stage sends on what those before it have brought.

#include "exchange/core/registry.hpp"

namespace halocline::detail {

/// The option, which all methods that fill halos have.
OptionFacts corners_option();
/// Whether the scheme asks for it and the pattern has something to forward. The same on all ranks.
bool forwards(const Setup& setup);
std::unique_ptr<Method> make_staged(Setup setup);

bool forwards(const model::Chosen& chosen, const model::Links& links);
model::Step describe_staged(const model::Chosen& chosen, const model::Links& links);

}  // namespace halocline::detail
