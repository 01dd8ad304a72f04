#pragma once
// The registry: what a method is and can is looked up here.

#include "method.hpp"

namespace halocline::detail {

/// Null if there is none of this name.
template <class Facts>
const Facts* find_named(const std::vector<Facts>& all, std::string_view name) {
  for (const Facts& one : all)
    if (one.name == name) return &one;
  return nullptr;
}

/// Facts of one kind (MethodFacts, AsyncMethodFacts) that have been registered: by the program, or
/// by the libraries that HALOCLINE_METHODS names.
template <class Facts>
std::vector<Facts>& registered() {
  static std::vector<Facts> all;
  return all;
}
/// Throws an Error that begins with `what` unless a method of this name may be registered now.
void may_register(const std::string& what, std::string_view name, bool made, bool taken);
template <class Facts>
void add_registered(const std::string& what, Facts facts, bool made,
                    const std::vector<Facts>& built_in) {
  may_register(what, facts.name, made,
               find_named(built_in, facts.name) || find_named(registered<Facts>(), facts.name));
  registered<Facts>().push_back(std::move(facts));
}

/// The methods of this library, in the order of lists: src/built_in/built_in.cpp.
std::vector<MethodFacts> built_in_methods();

/// All, with those registered. From the first call on no method of any kind can be added.
const std::vector<MethodFacts>& registry();
/// Null if there is none of this name.
const MethodFacts* find_method(std::string_view name);
/// Those of a scheme's method.
const MethodFacts& facts(const Scheme& scheme);
#pragma GCC visibility push(default)  // halocline::style has it, too
/// Whether the program's own steps choose the scheme, one after another, while it runs.
bool chosen_while_running(const Scheme& scheme);
#pragma GCC visibility pop
/// What a method does in a step, with what stands in front of it (routes/). Throws Error if it has
/// no description.
model::Step describe(const model::Chosen& chosen, const model::Links& links);
model::Step describe(const Scheme& scheme, const model::Links& links);
/// A scheme as descriptions want it; `heads` only where it changes something.
model::Chosen chosen(const Scheme& scheme, const model::Links& links);
std::unique_ptr<Method> make_method(Setup setup);

}  // namespace halocline::detail
