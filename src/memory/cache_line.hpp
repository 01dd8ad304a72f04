#pragma once
// What different ranks or threads write lies on cache lines of their own.

#include <cstddef>

namespace halocline::detail {

constexpr std::size_t cache_line = 64;
/// Processors fetch lines in pairs: what one rank watches while others write has one of its own.
constexpr std::size_t line_pair = 2 * cache_line;

/// What a rank places near itself by being the first to touch it.
constexpr std::size_t page = 4096;

/// Up to a multiple of `unit`.
constexpr std::size_t round_up(std::size_t size, std::size_t unit) {
  return (size + unit - 1) / unit * unit;
}
constexpr std::size_t whole_lines(std::size_t bytes) {
  return round_up(bytes, cache_line);
}

}  // namespace halocline::detail
