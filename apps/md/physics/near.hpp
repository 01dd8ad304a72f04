#pragma once
// Finding neighbours: who of many candidates is within reach. In single precision, 16 at a time
// where vectors have 512 bits.

#include <bit>
#include <cstddef>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace md {

/// Candidates by their coordinates and by what is to be noted of them. Up to 15 more behind the
/// last one may be read.
struct Candidates {
  const float *x, *y, *z;
  const int* note;
};

/// Writes the notes of those among [from, to) whose distance from a point is at most the root of
/// `reach_squared`, but for the one whose note is `except`; up to 16 more ints behind them may be
/// written. Returns how many there are.
inline std::size_t near(const Candidates& all, std::size_t from, std::size_t to, float x, float y,
                        float z, float reach_squared, int except, int* out) {
  std::size_t count = 0;
#if defined(__AVX512F__)
  const __m512 px = _mm512_set1_ps(x), py = _mm512_set1_ps(y), pz = _mm512_set1_ps(z),
               reach = _mm512_set1_ps(reach_squared);
  const __m512i excepted = _mm512_set1_epi32(except);
  for (std::size_t k = from; k < to; k += 16) {
    const auto there = static_cast<__mmask16>(to - k >= 16 ? 0xffffu : (1u << (to - k)) - 1);
    const __m512 dx = _mm512_loadu_ps(all.x + k) - px, dy = _mm512_loadu_ps(all.y + k) - py,
                 dz = _mm512_loadu_ps(all.z + k) - pz;
    const __m512 squared = _mm512_fmadd_ps(dz, dz, _mm512_fmadd_ps(dy, dy, dx * dx));
    const __m512i note = _mm512_loadu_si512(all.note + k);
    const __mmask16 close = _mm512_mask_cmpneq_epi32_mask(
        _mm512_mask_cmp_ps_mask(there, squared, reach, _CMP_LE_OQ), note, excepted);
    // Compressed in a register: some processors are very slow at compressing to memory.
    _mm512_storeu_si512(out + count, _mm512_maskz_compress_epi32(close, note));
    count += static_cast<std::size_t>(std::popcount(static_cast<unsigned>(close)));
  }
#else
  // Every candidate is written, and stays if it is near: no branch to mispredict.
  for (std::size_t k = from; k < to; ++k) {
    const float dx = all.x[k] - x, dy = all.y[k] - y, dz = all.z[k] - z;
    out[count] = all.note[k];
    count += static_cast<std::size_t>((dx * dx + dy * dy + dz * dz <= reach_squared) &
                                      (all.note[k] != except));
  }
#endif
  return count;
}

}  // namespace md
