#pragma once
// The variables of the environment that are Halocline's own: read here, and refused in one way.

#include "base/folders.hpp"  // variable

#include <halocline/error.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace halocline::base {

/// What is wrong with a variable: 'NAME=value: must be ...'.
Error wrong_variable(const char* name, std::string_view value, std::string_view right);

/// True for '1', false for '0' or if it is not set. Throws Error about anything else.
bool switch_of(const char* name);

/// A whole number from `least` to `most`, of `unit`. Throws Error about anything else.
std::optional<std::int64_t> integer_of(const char* name, std::int64_t least, std::int64_t most,
                                       std::string_view unit);

/// A number above 0. Throws Error about anything else, which says that `right` would be.
std::optional<double> positive_of(const char* name, std::string_view right);

}  // namespace halocline::base
