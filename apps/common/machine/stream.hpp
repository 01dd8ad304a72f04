#pragma once
// What memory, or a cache, gives two loops that hardly compute, as in McCalpin's STREAM.

#include "untouched.hpp"

#include <cstddef>
#include <span>

namespace machine {

/// Reads all of it, each thread its part, and does nothing else.
void read(std::span<const std::byte> memory, int threads);

/// Three arrays of doubles, each part first touched by the thread that streams it. Large ones lie
/// on huge pages; they begin apart.
class StreamArrays {
 public:
  StreamArrays(std::size_t elements, int threads);
  void copy();   ///< c = a, 16 bytes an element
  void triad();  ///< a = b + 3 c, 24 bytes an element

 private:
  std::size_t elements_;
  int threads_;
  Untouched<double> memory_;
  double *a_, *b_, *c_;
};

}  // namespace machine
