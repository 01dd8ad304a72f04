#pragma once
// What different ranks or threads write lies on cache lines of their own.

#include <cstddef>

namespace halocline::detail {

constexpr std::size_t cache_line = 64;

constexpr std::size_t whole_lines(std::size_t bytes) {
  return (bytes + cache_line - 1) / cache_line * cache_line;
}

}  // namespace halocline::detail
