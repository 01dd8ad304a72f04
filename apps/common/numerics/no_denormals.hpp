#pragma once
// Numbers too small for full precision are taken for zero, because processors that handle them take
// up to a hundred times as long. It changes results, by less than 1e-307, so whatever has to give
// the same bits has to be computed within such a scope, on every thread.

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <cstdint>
#endif

namespace numerics {

class NoDenormals {
 public:
  NoDenormals(const NoDenormals&) = delete;
  NoDenormals& operator=(const NoDenormals&) = delete;

#if defined(__SSE2__)
  NoDenormals() : before_(_mm_getcsr()) {
    constexpr unsigned flush_to_zero = 1u << 15, denormals_are_zero = 1u << 6;
    _mm_setcsr(before_ | flush_to_zero | denormals_are_zero);
  }
  ~NoDenormals() {
    _mm_setcsr(before_);
  }

 private:
  unsigned before_;
#elif defined(__aarch64__)
  NoDenormals() {
    asm volatile("mrs %0, fpcr" : "=r"(before_));
    constexpr std::uint64_t flush_to_zero = 1u << 24;
    asm volatile("msr fpcr, %0" : : "r"(before_ | flush_to_zero));
  }
  ~NoDenormals() {
    asm volatile("msr fpcr, %0" : : "r"(before_));
  }

 private:
  std::uint64_t before_;
#else
  NoDenormals() = default;
  ~NoDenormals() {}
#endif
};

}  // namespace numerics
