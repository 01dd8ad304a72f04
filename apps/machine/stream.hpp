#pragma once
// What memory, or a cache, gives two loops that hardly compute, as in McCalpin's STREAM.

#include <cstddef>
#include <memory>

namespace machine {

/// Three arrays of doubles, each part first touched by the thread that streams it.
class StreamArrays {
 public:
  StreamArrays(std::size_t elements, int threads);
  void copy();   ///< c = a, 16 bytes an element
  void triad();  ///< a = b + 3 c, 24 bytes an element

 private:
  std::size_t elements_;
  int threads_;
  std::unique_ptr<double[]> a_, b_, c_;
};

}  // namespace machine
