#pragma once
// What memory, or a cache, gives two loops that hardly compute, as in McCalpin's STREAM.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plain_sweeps {

/// Seconds of every repetition.
struct Streams {
  std::vector<double> copy;   ///< c = a, 16 bytes an element
  std::vector<double> triad;  ///< a = b + 3 c, 24 bytes an element
};

/// Streams over arrays of `elements` doubles, `passes` times in a repetition.
Streams stream(std::size_t elements, std::int64_t passes, int threads, int repetitions);

}  // namespace plain_sweeps
