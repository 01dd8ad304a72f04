#pragma once
// heads=ISLAND: one message between two islands. What leaves an island is gathered on its head,
// goes from head to head, and is scattered there (A. Bienz, W. D. Gropp, L. N. Olson, "Node aware
// sparse matrix-vector multiplication", J. Parallel Distrib. Comput. 130, 2019).

#include "exchange/core/registry.hpp"

namespace halocline::detail {

/// The option, which all methods that fill halos have.
OptionFacts heads_option();
/// Whether the scheme asks for it and anything goes to another island. Collective, the same on all
/// ranks.
bool goes_by_heads(const Setup& setup);
std::unique_ptr<Method> make_by_heads(Setup setup);

bool goes_by_heads(const model::Chosen& chosen, const model::Links& links);
model::Step describe_by_heads(const model::Chosen& chosen, const model::Links& links);

}  // namespace halocline::detail
