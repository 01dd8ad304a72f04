#pragma once
// A text file in even shares, so that several processes read it at once.

#include <cstdint>
#include <string>

namespace formats {

/// Cuts a file's bytes from `begin` to `end`, which are lines, into `shares` parts, and returns the
/// whole lines that begin in part `share`. Throws halocline::Error if it cannot be read.
std::string share_of_lines(const std::string& file, std::int64_t begin, std::int64_t end,
                           int shares, int share);

}  // namespace formats
