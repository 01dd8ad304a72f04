#pragma once
// The registry: what a method is and can is looked up here.

#include "method.hpp"

namespace halocline::detail {

/// The methods of this library, in the order of lists: src/built_in/built_in.cpp.
std::vector<MethodFacts> built_in_methods();

/// All, with those registered. From the first call on none can be added.
const std::vector<MethodFacts>& registry();
/// Null if there is none of this name.
const MethodFacts* find_method(std::string_view name);
/// Those of a scheme's method.
const MethodFacts& facts(const Scheme& scheme);
/// What a method does in a step, with what stands in front of it (routes/). Throws Error if it has
/// no description.
model::Step describe(const model::Chosen& chosen, const model::Links& links);
model::Step describe(const Scheme& scheme, const model::Links& links);
/// A scheme as descriptions want it; `heads` only where it changes something.
model::Chosen chosen(const Scheme& scheme, const model::Links& links);
std::unique_ptr<Method> make_method(Setup setup);

}  // namespace halocline::detail
