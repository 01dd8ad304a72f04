#pragma once
// Do the parts of a pattern that the ranks hold fit each other?

#include "commons.hpp"

#include <halocline/pattern.hpp>

namespace halocline::detail {

/// Throws the same Error on every rank if any brings a complaint, or unless each send has its
/// receive with the same size.
/// Returns whether each peer that a rank sends to sends to it, and the other way round, on all
/// ranks. `element_bytes`: of all fields together. Collective.
bool check_pattern(const Channel& comm, const Pattern& pattern, std::size_t element_bytes,
                   std::string complaint = {});

}  // namespace halocline::detail
