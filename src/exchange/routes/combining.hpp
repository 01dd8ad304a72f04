#pragma once
// Exchanges that combine what arrives with what is there, in the pattern's order.

#include "exchange/core/registry.hpp"

namespace halocline::detail {

/// Whether an exchange of this setup does so here; some methods do themselves.
bool combines_here(const Setup& setup);
/// Collective. Of a setup whose pattern has been checked.
std::unique_ptr<Method> make_combining(Setup setup);

/// A step of it.
model::Step describe_combining(const model::Chosen& chosen, const model::Links& links);

}  // namespace halocline::detail
