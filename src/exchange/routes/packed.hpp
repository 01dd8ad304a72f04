#pragma once
// Exchanges of several parts, or of other fields at each step, by methods that reach fields where
// they lie, that bind to addresses, or that gather cells on their way: messages are packed first,
// and these are one field of bytes.

#include "exchange/core/registry.hpp"

namespace halocline::detail {

/// Whether the scheme's method needs it. The same on all ranks.
bool goes_packed(const Setup& setup);
std::unique_ptr<Method> make_packed(Setup setup);

}  // namespace halocline::detail
