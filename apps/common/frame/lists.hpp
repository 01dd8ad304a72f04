#pragma once
// Several whole numbers in one option, as in 64x64x32.

#include "values.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace frame {

/// "64x64x32" as {64, 64, 32}: numbers from `least` to `most` with a separator between them. Empty
/// if the text is anything else.
std::vector<std::int64_t> numbers(std::string_view text, char separator, std::int64_t least = 1,
                                  std::int64_t most = std::numeric_limits<std::int64_t>::max());

/// Three numbers from 1 to `most` with commas between them. Throws Error, which says what would be
/// `right`, if the option has been given anything else.
std::array<std::int64_t, 3> three(const Value& value, std::int64_t most, const std::string& right);

}  // namespace frame
