#pragma once
// Shifts: what is added to elements once they have arrived.

#include "method.hpp"

#include <string>

namespace halocline::detail {

/// Why an exchange of these fields, which receive, cannot add the pattern's shifts; empty if it
/// can.
std::string shifts_complaint(const Pattern& pattern, std::span<const Field> fields,
                             const ExchangeOptions& options);

void add_all_shifts(const Setup& setup);
/// After a step: to what has been received and copied.
inline void add_shifts(const Setup& setup) {
  if (setup.pattern.shifts()) add_all_shifts(setup);
}

}  // namespace halocline::detail
