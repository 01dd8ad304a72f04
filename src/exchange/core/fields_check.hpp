#pragma once
// Do the fields of this rank hold what a pattern exchanges of them? All that is here is local, and
// what is wrong is told by a sentence, empty if nothing is.

#include "method.hpp"

#include <halocline/exchange.hpp>

#include <span>
#include <string>
#include <vector>

namespace halocline::detail {

inline constexpr const char* needs_host =
    "an exchange that changes or combines works on the host's memory, but a field is on a device";

bool any_on_device(const std::vector<Field>& fields);

/// Fields that are to come have at least what this pattern exchanges of them.
void demand(const Setup& setup, std::vector<Field>& fields, const Pattern& pattern);

/// What is wrong with the fields of an exchange that is to be made.
std::string fields_complaint(const Setup& setup, const ExchangeOptions& options);
/// What is wrong with another pattern, or with other fields (none: the same ones).
std::string change_complaint(const Setup& setup, const Pattern& pattern,
                             const std::vector<Field>& fields);
/// What is wrong with an array for an asynchronous exchange whose pattern counts as `counts` does
/// and reaches to `extent`.
std::string cells_complaint(const Pattern& counts, std::size_t extent, std::size_t element_bytes,
                            const Field& field);
/// What is wrong with the fields of one step of an exchange.
std::string step_complaint(const Setup& setup, std::span<const Field> fields);

}  // namespace halocline::detail
