#pragma once
// The registry of asynchronous methods: what one is and can is looked up here.

#include "exchange/core/registry.hpp"

#include <halocline/more/async_method.hpp>

namespace halocline::detail {

/// Those of this library, in the order of lists: src/built_in/built_in.cpp.
std::vector<AsyncMethodFacts> built_in_async_methods();

/// All, with those registered. From the first call on none can be added.
const std::vector<AsyncMethodFacts>& async_registry();
/// Null if no asynchronous method has this name.
const AsyncMethodFacts* find_async(std::string_view name);

/// A step of an asynchronous exchange: every rank offers what it has and takes what is there, so
/// that no operation waits for a peer; to get is to wait for one's own data. Throws Error where
/// there is no such method, or no description of it.
model::Step describe_async(const model::Chosen& chosen, const model::Links& links);

}  // namespace halocline::detail
