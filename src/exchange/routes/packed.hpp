#pragma once
// Exchanges of several parts, of other fields at each step, or of fields in the caller's own
// memory, by methods that reach fields where they lie, that bind to addresses, or that gather cells
// on their way: messages are packed first, and these are one field of bytes.

#include "exchange/core/registry.hpp"

namespace halocline::detail {

/// Whether fields lie where the scheme's method cannot work on them (MethodFacts::reaches).
/// Collective for schemes whose memory is not plain.
bool out_of_reach(const Setup& setup);
/// Whether the scheme's method needs it. The same on all ranks.
bool goes_packed(const Setup& setup);
std::unique_ptr<Method> make_packed(Setup setup);

}  // namespace halocline::detail
